"""The skin of the human figure."""

from manikin.figure.human.surface.skin import human_skins

__all__ = ["human_skins"]
