"""Field values for a terminal: `scrapy extract` and `scrapy fields`."""
