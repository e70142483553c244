"""The migrations, one file a version, named ``NNNN_what.py``; the number is the ledger's version."""
