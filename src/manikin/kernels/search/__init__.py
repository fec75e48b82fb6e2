"""The damped least-squares search, in one lane or four."""
