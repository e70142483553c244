"""How a run of the corpus gets from its map to a person: steps over ledger and store, each of which can be repeated."""
