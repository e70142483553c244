"""Exports of what the ledger holds, which others can open: WARC records, and cases as WACZ files with their proofs."""
