"""Why a solution is not better, as data and in words."""
