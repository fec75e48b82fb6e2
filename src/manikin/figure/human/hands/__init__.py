"""Hands: grips found by geometry."""

from manikin.figure.human.hands.grip import GRIPS, Grip, grip

__all__ = ["GRIPS", "Grip", "grip"]
