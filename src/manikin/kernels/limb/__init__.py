"""The limb of a shoulder, an elbow and a wrist in closed form."""
