"""Due sources into the queue that all nodes share: what ``scrapy dispatch`` does. No Scrapy import.

``Dispatcher.round`` decides once; ``run`` does so again and again. Which jobs are made is decided in ``schedule``.
"""

from rori_spiders.fleet.loop import Clock, run
from rori_spiders.fleet.now import queue_now
from rori_spiders.fleet.outlook import Outlook, read_outlook
from rori_spiders.fleet.rounds import Dispatcher, Queued, Round

__all__ = ["Clock", "Dispatcher", "Outlook", "Queued", "Round", "queue_now", "read_outlook", "run"]
