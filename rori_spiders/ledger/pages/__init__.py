"""Pages in the ledger: their versions over time, their state for the next run, what is listed of them, and the
field values extracted from them.
"""
