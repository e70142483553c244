"""Drafts published without a person."""
