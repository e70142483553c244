"""The steps of one page, from a server's response to its audit row. `flow.py` calls them in order."""
