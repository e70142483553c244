"""Drafts that are published without a person: what site rules allow, which changes are of little risk, the act."""
