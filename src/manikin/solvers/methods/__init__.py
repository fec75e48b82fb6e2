"""The methods, one file each: what of a prepared problem their kernels read, and what follows when they fail."""
