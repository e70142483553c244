"""``scrapy metrics``: what Prometheus is told, read from the ledger, so that it is right over all nodes.

``families`` lists every metric; a module a theme reads its values; ``collector`` is what prometheus_client scrapes.
No query reads the whole audit: a scrape stays quick at a million rows.
"""
