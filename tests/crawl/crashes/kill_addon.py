"""An add-on by which a job kills itself, or a process of its pool: at a moment, or at a step, that a test has named.

In: ``TEST_DEATH``, a `Death` as JSON. The signal is not caught: the system ends the process wherever it is, as by
`kill -9`. For ``-s ADDONS={"tests.crawl.crashes.kill_addon.Dying": 0}``.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.extensions.runs import RunsExtension
from rori_spiders.workers.pool import WorkPool
from tests.staging.kill_points import die_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.settings import BaseSettings

DEATH = "TEST_DEATH"
#: What the log says then.
WORKER_KILLED = "TEST: a process of the pool was killed"
ADDONS = json.dumps({"tests.crawl.crashes.kill_addon.Dying": 0})


@dataclass(frozen=True)
class Death:
    """When a job dies: so many *seconds*, or *steps* on the disk, after the beginning that is named."""

    #: ``process``: it has started; ``run``: the first is opened, or taken up again; ``answers``: so many have come;
    #: ``end``: the first run is judged and closed. None: it lives.
    after: str | None = None
    answers: int = 0
    seconds: float | None = None
    steps: int = 0
    torn: bool = False  # in the middle of a write
    worker_s: float | None = None  # a process of the pool dies alone, so long after it was given a page

    def env(self) -> dict[str, str]:
        return {DEATH: json.dumps(asdict(self))}

    def begins(self) -> None:
        """From now on its seconds, or its steps, are counted."""
        if self.seconds is None:
            die_at(self.steps, torn=self.torn)
            return
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, max(self.seconds, 0.001))


class Dying:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        death = Death(**json.loads(os.environ[DEATH]))
        if death.after == "process":
            death.begins()
        elif death.after == "run":
            _before(Lifecycle, "_opened", 1, death.begins)
        elif death.after == "answers":
            _after_answers(death.answers, death.begins)
        elif death.after == "end":
            _before(Lifecycle, "end", 1, death.begins)
        if death.worker_s is not None:
            _before(WorkPool, "run", 1, threading.Timer(death.worker_s, _kill_a_worker).start)


def _before(owner: type, name: str, call: int, begin: Callable[[], None]) -> None:
    """Have *begin* called before the *call*-th call of a method."""
    method, calls = getattr(owner, name), 0

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            begin()
        return method(*args, **kwargs)

    setattr(owner, name, counted)


def _after_answers(number: int, begin: Callable[[], None]) -> None:
    left, answers = RunsExtension.request_left_downloader, 0

    def counted(extension: RunsExtension, request: Request) -> None:  # Scrapy looks at the names
        nonlocal answers
        answers += 1
        if answers == number:
            begin()
        left(extension, request)

    setattr(RunsExtension, "request_left_downloader", counted)  # noqa: B010  (given to the whole process)


def _kill_a_worker() -> None:
    for worker in multiprocessing.active_children()[:1]:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        logging.getLogger(__name__).warning(WORKER_KILLED)
