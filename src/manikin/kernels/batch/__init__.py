"""Many problems of one structure in one call: plain goals four side by side in lanes, all others one after the
other.
"""
