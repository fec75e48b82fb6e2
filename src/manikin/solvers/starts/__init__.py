"""Where searches begin: seeds, restarts, independent parts, threads."""
