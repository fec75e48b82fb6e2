"""What is promised of a pose, measured by code of its own: nothing here is called by a search, and calls none of it."""
