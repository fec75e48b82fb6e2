"""Six hinges in closed form."""
