"""Text to numbers."""
