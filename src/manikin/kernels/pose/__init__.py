"""A pose in compiled code: from coordinates to frames, the limits that it keeps, how it is reported."""
