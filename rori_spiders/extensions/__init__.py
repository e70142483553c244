"""Extensions of a crawl: ledger and runs, throttling, progress."""
