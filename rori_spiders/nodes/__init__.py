"""Components that Scrapyd loads on a node: application, queue over the ledger, web pages, job runner.

``scrapyd.conf`` names them. The queue is the ledger's (``ledger/queue/job_queue.py``): any number of nodes share it.
"""
