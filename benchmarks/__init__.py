"""Measurements that are run by hand; what they found is written where it decided something."""
