"""The careful descent that never leaves what is held."""
