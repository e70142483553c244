"""A run of a corpus, from its start to a published version: steps over ledger and store, each of which can be
repeated. `state_machine.py` runs them; `review.py` is what people do.
"""
