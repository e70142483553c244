"""The API: one module a subject, each with its ``router``. A new one: its module here, its line in ``ROUTERS``."""

from rori_spiders.monitor.api import session

ROUTERS = (session.router,)
