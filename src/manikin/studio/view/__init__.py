"""What is seen and grabbed in the browser."""
