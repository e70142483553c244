"""What the Scrapy components of one process share: ledger, store, leases, the state of pages. Start at `job.py`."""
