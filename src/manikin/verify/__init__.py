"""What is said of a pose, looked at once more before it leaves, by code that no search uses."""
