"""A collection one of whose steps breaks, the next one that goes on with it, and what must hold then.

In: a project with a ledger of either kind and a staging area of either kind. Out: nothing, or an AssertionError that
names the step, how it broke, and what is lost, doubled, or not as it was served.
"""

from __future__ import annotations

import re
import signal
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from rori_spiders.ledger import tables
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import open_store
from tests.crawl.crashes.broken_step_addon import ADDONS, Fault
from tests.support.crawl_output import path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    import subprocess

    from tests.support.project import Project
    from tests.support.server import Site

#: What each page says in the first edition, and in the second; None: it is not there.
EDITIONS: dict[str, tuple[str | None, str | None]] = {
    "/": ("1,000", "1,001"),
    "/same": ("2,000", "2,000"),
    "/same-too": ("3,000", "3,000"),
    "/changed": ("4,000", "4,001"),
    "/missing": ("6,000", None),
    "/new": (None, "7,001"),
}
_PAST = datetime(2026, 1, 1, tzinfo=UTC)


class Injected:
    """One collection of the second edition, broken at a step, and mended by the next."""

    def __init__(self, site: Site, project: Project) -> None:
        self._site, self._project = site, project
        self._steps = project.folder / "steps.txt"
        self._database = project.env.get("RORI_DATABASE_URL", str(project.ledger))
        self._staging = project.env.get("RORI_STAGING", str(project.staging))
        self._publish(0)
        project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.01)
        assert self._collect().returncode == 0

    def breaks_at(self, fault: Fault) -> list[str]:
        """Collect the second edition with *fault*, then without; gives the names of the steps of the first job."""
        self._publish(1)
        self._steps.write_text("", encoding="utf-8")
        broken = self._collect(fault)
        steps = self._steps.read_text("utf-8").split()
        what = f"{fault.how} at step {fault.at}, {steps[-1] if fault.at else 'none'}"
        codes = {0, 3} if not fault.how.startswith("killed") else {-signal.SIGKILL}
        assert broken.returncode in (codes if fault.at else {0}), f"{what}\n{broken.stdout}{broken.stderr}"
        assert "Traceback" not in broken.stderr + broken.stdout, f"{what}\n{broken.stderr}"
        self._leases_end()
        mended = self._collect()
        assert mended.returncode == 0, f"{what}\n{mended.stdout}{mended.stderr}"
        self._check(what)
        return steps

    def _publish(self, edition: int) -> None:
        there = {path: says[edition] for path, says in EDITIONS.items() if says[edition] is not None}
        for path, says in EDITIONS.items():
            text = f"The limit of this page is {says[edition]} dollars."
            html = page(f"Page {path}", *(sorted(there) if path == "/" else ()), text=text)
            self._site.page(path, html, status=200 if path in there else 404, validators=path == "/same")

    def _collect(self, fault: Fault | None = None) -> subprocess.CompletedProcess[str]:
        if fault is None:
            return self._project.scrapy("collect", "--force")
        return self._project.scrapy("collect", "--force", "-s", f"ADDONS={ADDONS}", env=fault.env(self._steps))

    def _leases_end(self) -> None:
        """The minute has passed after which a dead job's leases end."""
        ledger = open_ledger(self._database)
        try:
            with ledger.begin() as conn:
                conn.execute(update(tables.leases).where(tables.leases.c.owner.is_not(None)).values(expires_at=_PAST))
        finally:
            ledger.close()

    def _check(self, what: str) -> None:
        verified = self._project.scrapy("verify")
        assert verified.returncode == 0, f"{what}\n{verified.stdout}{verified.stderr}"
        errors: dict[str, list[str]] = {path: [] for path in EDITIONS}
        store = open_store(self._staging)
        paths = self._indexed()
        for path in paths:
            document = store.read(path).decode()
            [url] = re.findall(r'"url": ?"(http://[^"]+)"', document)[:1]
            errors[path_of(url)] += re.findall(r"The limit of this page is ([0-9,]+) dollars", document)[:1]
        assert len(paths) == len(set(paths)), f"{what}: staged twice: {paths}"
        expected = {path: list(dict.fromkeys(one for one in says if one)) for path, says in EDITIONS.items()}
        assert errors == expected, f"{what}: lost, staged twice, or not as it was served"

    def _indexed(self) -> list[str]:
        """The paths of the staged files, in the order of the ledger; each must be there, and no other."""
        ledger = open_ledger(self._database)
        try:
            with ledger.connect() as conn:
                rows = conn.execute(select(tables.envelopes.c.path).order_by(tables.envelopes.c.staged_at))
                paths = [str(row.path) for row in rows]
        finally:
            ledger.close()
        assert sorted(paths) == sorted(open_store(self._staging).paths())
        return paths
