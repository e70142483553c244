"""The corpus in the ledger: runs and who works on them, their pages, what people said, versions. Over a Connection."""
