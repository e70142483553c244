"""A web server of ours that counts what it is asked. Crawl tests judge the collector by this server's own log.

In: pages and behaviours scripted by a test (`Site`). Out: what was asked, when, by whom (`Log`, `Report`).
"""

from tests.support.server.log import Hit, Log, Report, report
from tests.support.server.replies import Held, Reply
from tests.support.server.site import Site

__all__ = ["Held", "Hit", "Log", "Reply", "Report", "Site", "report"]
