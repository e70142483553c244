"""The web interface for operators, and its API: reads the ledger and the staging area, and offers the same actions
as the commands.
"""
