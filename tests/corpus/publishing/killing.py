"""Publishing, killed at random moments of its way: each attempt is a process of its own, which dies by SIGKILL.

In between nothing is mended. At every death `latest` names a whole version, or nothing yet; the next attempt finishes.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.publishing import publisher
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.verification.verify import verify_staging
from tests.corpus.publishing.factories import DOMAIN, LATEST, NOW, entries, latest, request
from tests.staging import child_processes

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from rori_spiders.staging.store import Store

PAGES = 12


def edition(number: int) -> dict[str, str]:
    """The site as it is for the version *number*: some pages changed, some gone, some new."""
    kept = [f"p{page}" for page in range(PAGES) if (page + number) % 9]
    return {name: f"# {name}\n\nEdition {number if name.endswith(str(number % 10)) else 0}." for name in kept}


@dataclass
class Published:
    """A corpus that is published again and again by processes that are killed."""

    database: Path
    staging: str
    chance: random.Random
    kills: int = 0
    finished: int = 0
    took_s: list[float] = field(default_factory=lambda: [0.2, 0.1])  # the last whole attempt, and after judging
    where: Counter[str] = field(default_factory=Counter)  # what a kill left: how far `latest` and the files were

    def version(self, number: int, kills: int) -> None:
        """Publish version *number*, killed *kills* times on the way; then let an attempt end."""
        for _ in range(kills):
            # Most of the time goes into judging; every other kill strikes after it, while things are written.
            judged = self.chance.random() < 0.5
            died = self._attempt(number, self.chance.uniform(0, self.took_s[judged]), after_judging=judged)
            left = self._check(number)
            if died:
                self.kills += 1
                self.where[left] += 1
        self._attempt(number, None)
        assert self._check(number).startswith("latest names it, published")
        self.finished += 1

    def _attempt(self, number: int, dies_after: float | None, *, after_judging: bool = False) -> bool:
        """Whether it was killed, so many seconds after it began, or after its documents were judged."""
        ready, begin = os.pipe()
        child = child_processes.start(lambda: self._publish(number, begin))
        os.close(begin)
        with os.fdopen(ready, "rb", buffering=0) as stream:
            assert stream.read(1) == b"."
            started = time.monotonic()
            if after_judging or dies_after is None:
                stream.read(1)  # nothing, when there was nothing to judge
            judged = time.monotonic()
            if dies_after is not None:
                timer = Thread(target=_kill, args=(child, dies_after))
                timer.start()
            code = child_processes.end(child)
            ended = time.monotonic()
            if dies_after is not None:
                timer.join()
        assert code in {0, -signal.SIGKILL}, "an attempt after a kill must not fail"
        if dies_after is None:
            self.took_s = [ended - started, ended - judged]
        return code != 0

    def _publish(self, number: int, begin: int) -> None:
        store = open_store(self.staging)
        given = entries(store, edition(number))
        run_id = f"{number:036}"
        judge = vars(publisher)["check_publishable"]

        def told(*given: Any) -> None:
            judge(*given)
            os.write(begin, b"j")

        vars(publisher)["check_publishable"] = told
        with closing(open_ledger(str(self.database))) as ledger:
            os.write(begin, b".")
            publisher.publish_version(ledger, store, request(run_id, reason="edited"), given, now=NOW)

    def _check(self, number: int) -> str:
        """What is there, in words: `latest` names a whole version, the one being published or the one before."""
        store = open_store(self.staging)
        named = _named(store)
        before = number - 1 or None
        assert named in {before, number}
        begun = sum(f"/v{number}/" in path for path in store.domains.paths(f"domains/{DOMAIN}/corpora"))
        with closing(open_ledger(str(self.database))) as ledger:
            with ledger.connect() as conn:
                row = published_versions.find_version(conn, DOMAIN, number)
            state = row.state if row is not None else "not reserved"
            kinds = {one.kind for one in verify_staging(ledger, store, now=NOW).findings}
        assert kinds <= {"temporary_file"}
        return f"latest names {'it' if named == number else 'the one before'}, {state}, {begun} files"


def _named(store: Store) -> int | None:
    try:
        store.domains.read(LATEST)
    except FileNotFoundError:
        return None
    return int(latest(store)["version"])


def _kill(child: int, after: float) -> None:
    time.sleep(after)
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        return
