"""Verification: everything against everything, envelope files, lines of the logs, ledger rows, versions, audit,
objects, runs. ``verify.py`` runs the checks.
"""
