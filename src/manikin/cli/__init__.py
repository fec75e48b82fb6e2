"""The command `manikin`: one file a command, put together in `main`."""
