"""What goals ask of a pose, as numbers with derivatives."""
