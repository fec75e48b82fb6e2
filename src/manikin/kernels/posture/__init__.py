"""The posture that people take: the learned network, and what a solve asks of it."""
