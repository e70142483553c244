"""State that the Scrapy components of one process share: ledger, store, leases, page state. Start at `job.py`."""
