"""What `scrapy audit` and `scrapy as-of` print besides rows of the audit."""
