"""The `http` tier: HTTP/1.1 by Scrapy's client, with bounds on heads, bodies, encodings and memory."""
