"""The corpus in the ledger: runs and who works on them, their pages, decisions of people, source texts, published
versions.
"""
