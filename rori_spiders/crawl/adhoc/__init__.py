"""Pages fetched outside of runs, for programs whose event loop is not Scrapy's. `fetcher.py` is what the program
calls; `worker.py` is the process that fetches, `fetch_spider.py` its spider; `messages.py` is the protocol
between them. By the tiers and under the checks of a collection; nothing is staged.
"""
