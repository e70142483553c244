"""The ledger: the database of runs, URLs, pages, versions, audit, leases. No Scrapy here.

Every function takes a SQLAlchemy ``Connection`` whose transaction the caller owns (``database.Ledger.begin``
to write, ``.connect`` to read), and times that are given: nothing here reads the clock.
"""
