"""The skin of the human figure."""

from manikin.figure.human.surface.skin import human_skins, known_skins, not_skin

__all__ = ["human_skins", "known_skins", "not_skin"]
