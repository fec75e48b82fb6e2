"""Forty gestures of a mouse on people, characters and a robot, and what a person would expect of each.

``python -m benchmarks.gestures --out FOLDER [--characters A B C]`` makes them in Chromium, with a picture
of each; `tests/studio/test_gestures.py` makes them without one.
"""
