"""The API: one module a subject, each with its ``router``. A new one: its module here, its line in ``ROUTERS``."""

from rori_spiders.monitor.api import (
    activity,
    alerts,
    control,
    corpus,
    corpus_acts,
    corpus_pages,
    failure,
    failures,
    jobs,
    manifests,
    pages,
    runs,
    session,
    source,
    sources,
    versions,
)

ROUTERS = (
    session.router,
    sources.router,
    alerts.router,
    activity.router,
    failures.router,
    source.router,
    runs.router,
    pages.router,
    versions.router,
    failure.router,
    jobs.router,
    control.router,
    manifests.router,
    corpus.router,
    corpus_pages.router,
    corpus_acts.router,
)
