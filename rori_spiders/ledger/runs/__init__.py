"""Runs in the ledger: their records, their frontier of URLs, the robots.txt files and summaries kept with them, and
the tiers that worked.
"""
