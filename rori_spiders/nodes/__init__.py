"""What Scrapyd imports on a node: its application, its queue over the ledger, its web pages, its runner of jobs.

``scrapyd.conf`` names them. The queue is the ledger's (``ledger/queue/job_queue.py``, ``ledger/queue/job_queue.py``):
any number of nodes
share it.
"""
