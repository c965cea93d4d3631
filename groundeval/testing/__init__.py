"""The tests inside contracts: behind `groundeval test` and our own suite."""
