"""How many values are extracted rightly, and how many false ones are accepted: ours beside crawl4ai and langextract."""
