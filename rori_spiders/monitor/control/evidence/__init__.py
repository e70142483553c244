"""Signed heads of the log of facts: the newest, where it was sent, and what was verified last."""
