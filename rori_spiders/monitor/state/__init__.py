"""What endpoints work on: the open ledger and store, the catalog, and the cached overview of all sources."""
