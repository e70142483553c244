"""Telling people: which alerts are due through which channel, the message, and its delivery, never twice.

``rounds.round`` is what a job and a dispatcher call. Channels are e-mail by SMTP, web hooks, and what Apprise speaks.
"""
