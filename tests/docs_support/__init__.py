"""Reading the pages of the documentation and running what they show."""
