"""Skins, which live with figures (`manikin.figure.skin`) and travel in files."""

from manikin.figure.skin import Skin

__all__ = ["Skin"]
