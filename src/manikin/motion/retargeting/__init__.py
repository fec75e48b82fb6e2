"""Motions taken over from one figure to another: roles, contacts, and the clip solved for both."""
