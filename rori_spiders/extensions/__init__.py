"""What accompanies a crawl: the ledger and the runs, the pace, what a person sees."""
