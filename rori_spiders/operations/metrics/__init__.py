"""Metrics for Prometheus (``scrapy metrics``), read from the ledger, so that they cover all nodes.

``definitions`` lists every metric; a module a theme reads its values; ``collector`` is what prometheus_client scrapes.
No query reads the whole audit: a scrape stays quick at a million rows.
"""
