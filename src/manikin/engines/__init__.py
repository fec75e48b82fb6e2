"""The searches: one file an engine, `starts` says where they begin, `batch` runs many at a time."""
