"""Batches on a graphics card: what of a problem goes there (`arm`, `body`), the search, and the check of every
answer."""
