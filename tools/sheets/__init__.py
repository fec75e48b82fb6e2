"""The sheets of people that the documents show: made by ``python -m tools.sheets``."""
