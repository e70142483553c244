"""``scrapy corpus`` as it runs and as it is shown."""
