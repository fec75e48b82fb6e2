"""The human figure: `human` builds it, `preset` poses it, `measurements` measures it."""

from manikin.figure.human.build import human
from manikin.figure.human.measure import measurements
from manikin.figure.human.presets import PRESETS, preset

__all__ = ["PRESETS", "human", "measurements", "preset"]
