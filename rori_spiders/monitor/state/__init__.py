"""State of the application: the open ledger and store, the catalog, and the cached overview of all sources."""
