"""Where searches begin: seeds, restarts, independent groups of goals, threads."""
