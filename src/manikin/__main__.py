"""``python -m manikin``: the command, where it is not on the path."""

from manikin.cli.main import app

if __name__ == "__main__":
    app(prog_name="manikin")
