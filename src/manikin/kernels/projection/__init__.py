"""The projection method of Zhao and Badler (1989)."""
