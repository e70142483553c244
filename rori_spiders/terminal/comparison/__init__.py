"""Compare for a terminal: `scrapy diff` and `scrapy changes`."""
