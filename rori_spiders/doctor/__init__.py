"""``scrapy doctor``: what is found of each part that a collection needs, and what to do about it. Read-only.

A check is a function of the ``Patient`` that yields findings; ``examining`` runs them all, whatever one of them meets.
Nothing is changed but for what the model's one answer costs: no folder made, no ledger brought to a version, no server
of a publisher asked.
"""
