"""The API: one module a subject, each with its ``router``. A new one: its module here, its line in ``ROUTERS``."""

from rori_spiders.monitor.api import failure, pages, runs, session, source, versions

ROUTERS = (session.router, source.router, runs.router, pages.router, versions.router, failure.router)
