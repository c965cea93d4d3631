"""What each generated page of the reference says."""
