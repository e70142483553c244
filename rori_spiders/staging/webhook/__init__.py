"""The webhook: what was staged is announced, signed (Standard Webhooks 1.0.0), at least once, in the order of
staging, also after a crash.
"""
