"""Start the loader for a published version: a command (without a shell, in its own session, with a timeout) or a
webhook.  The loader gets TENANT_ID, SOURCE_DIR and VERSION. Its answer is stored in the version's row of the
ledger, redacted and shortened; a failure raises an alert. Calling `start_loader` again starts it again.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from rori_spiders.configuration.setting_types import MAY_HOLD_SECRETS, SECRET_VARIABLES
from rori_spiders.exceptions import ActionRefused, PublishingRefused, UsageError
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.reviews.corpus_alerts import clear_corpus_alert, note_unpublished
from rori_spiders.reviews.events import CORPUS_UNPUBLISHED
from rori_spiders.runtime.redacted_output import name_rori
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store


#: What is kept of a line, and how many of the last: enough for an error and where it came from.
_LINE, _LINES = 2_000, 20
#: Between being asked to end and being ended, seconds.
_GRACE_S = 5.0


class CommandResult(NamedTuple):
    """``code``: the exit code; None if it could not be started, or timed out. ``says``: its last line of output."""

    code: int | None
    says: str


def run_command(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout_s: float,
    first_line: Callable[[str], None] = lambda line: None,
) -> CommandResult:
    """Run *command* to its end; *first_line* is called with the first line of its output as soon as it is there."""
    try:
        process = subprocess.Popen(  # noqa: S603  # the operator's own command, without a shell
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # it is ended with all that it started, and not by our Ctrl-C
        )
    except (OSError, ValueError) as error:
        return CommandResult(None, f"cannot be started: {error}")
    out, errors = _OutputReader(process.stdout, first_line), _OutputReader(process.stderr)
    try:
        code: int | None = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        if process.poll() is None:
            _stop_process(process)
    last_line = errors.last() or out.last()
    return CommandResult(
        code, last_line if code is not None else f"did not end within {timeout_s:g} s. {last_line}".strip()
    )


class _OutputReader:
    """Hears a pipe to its end, and remembers its last lines."""

    def __init__(self, pipe: IO[bytes] | None, first_line: Callable[[str], None] = lambda line: None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._first_line = first_line
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._thread = Thread(target=self._hear, daemon=True, name="loader")
        self._thread.start()

    def _hear(self) -> None:
        is_first = True
        with self._pipe:
            while line := self._pipe.readline(_LINE):
                text = line.decode(errors="replace").rstrip()
                if is_first:
                    self._first_line(text)
                is_first = False
                self._lines.append(text)

    def last(self) -> str:
        """What was heard; what a child that was left behind holds open is not waited for."""
        self._thread.join(1.0)
        return "\n".join(line for line in self._lines if line)


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
            return


# The loader of a version, and what became of it.

HOOK_SECRET = "RORI_CORPUS_LOADER_SECRET"  # noqa: S105  (the variable's name)
_MAX_MESSAGE_CHARS = 1_000
#: What a person is shown beside the states that the ledger has: see `loader_status`.
NOT_STARTED, UNKNOWN = "not started", "unknown"
#: In which a person may start the loader of the latest version.
STARTABLE_STATES = frozenset({NOT_STARTED, UNKNOWN, published_versions.LOADER_FAILED})
_LOADER_STATES = {published_versions.LOADER_STARTED, published_versions.LOADER_DONE, published_versions.LOADER_FAILED}


class LoaderSettings(Protocol):
    def get(self, name: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Loader:
    """The loader to start: a command's arguments, or a webhook. It counts as dead after *timeout_s*."""

    command: tuple[str, ...] = ()
    hook: WebhookClient | None = None
    timeout_s: float = 3600.0

    @classmethod
    def from_settings(cls, settings: LoaderSettings, environment: Mapping[str, str] = os.environ) -> Loader | None:
        """The loader of RORI_CORPUS_LOADER, or None. Raises UsageError for an invalid value."""
        text = str(settings.get("RORI_CORPUS_LOADER") or "").strip()
        if not text:
            return None
        timeout_s = float(settings.get("RORI_CORPUS_LOADER_TIMEOUT"))
        if text.startswith(("http://", "https://")):
            hook = WebhookClient.from_settings(text, environment, setting="RORI_CORPUS_LOADER", variable=HOOK_SECRET)
            return cls(hook=hook, timeout_s=timeout_s)
        try:
            command = tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(f"RORI_CORPUS_LOADER is not a valid command: {error}") from error
        return cls(command=command, timeout_s=timeout_s)


def loader_status(
    row: Row[Any], settings: LoaderSettings, *, now: datetime, is_latest: bool
) -> tuple[str | None, str | None]:
    """State and words of a version's loader, as a person should read them at *now*.

    Where a process was killed the ledger has the loader ``started`` for good, or knows nothing: it is ``unknown`` once
    it has taken longer than it may, and ``not started`` where one is named for the latest version.
    """
    again = name_rori(f"scrapy corpus load {row.domain} starts it")
    if row.state != published_versions.PUBLISHED or not str(settings.get("RORI_CORPUS_LOADER") or "").strip():
        return row.loader_state, row.loader_says
    if row.loader_state is None and is_latest:
        return NOT_STARTED, again
    lost = now - timedelta(seconds=float(settings.get("RORI_CORPUS_LOADER_TIMEOUT")))
    if row.loader_state == published_versions.LOADER_STARTED and row.loader_at < lost:
        message = f"no report since {row.loader_at:%Y-%m-%d %H:%M} UTC"
        return UNKNOWN, f"{message}: {again} again" if is_latest else message
    return row.loader_state, row.loader_says


@dataclass(frozen=True, slots=True)
class LoaderOutcome:
    """``state``: started (it runs independently), done or failed."""

    state: str
    says: str | None = None
    execution: str | None = None


def start_loader(
    ledger: Ledger,
    store: Store,
    loader: Loader | None,
    domain: str,
    version: int,
    *,
    clock: Callable[[], datetime],
    environment: Mapping[str, str] = os.environ,
) -> Row[Any]:
    """Start *loader* for a published version, unless it is under way or done; the version's row as it is then.

    A command is waited for. Raises PublishingRefused when there is no such version; a loader that fails raises nothing.
    """
    row = _version_row(ledger, domain, version)
    if loader is None:
        ledger.write(partial(clear_corpus_alert, event=CORPUS_UNPUBLISHED, domain=domain, now=clock()))
        return row
    lost = clock() - timedelta(seconds=loader.timeout_s)
    begin = partial(published_versions.begin_loader, domain=domain, version=version, now=clock(), lost_before=lost)
    if not ledger.write(begin):
        return row
    variables = {"TENANT_ID": domain, "SOURCE_DIR": f"{store.location}/{row.prefix}", "VERSION": str(version)}
    outcome = LoaderOutcome(published_versions.LOADER_FAILED, "it was interrupted")
    try:
        if loader.hook is not None:
            outcome = _call_loader_hook(loader.hook, variables, clock())
        else:
            begun = partial(_record_execution, ledger, domain, version, clock)
            outcome = _run_loader_command(loader, variables, environment, begun)
    finally:
        _record_outcome(ledger, domain, version, outcome, clock())
    return _version_row(ledger, domain, version)


def report_load(
    ledger: Ledger, domain: str, version: int, state: str, *, execution: str | None, says: str | None, now: datetime
) -> None:
    """Record the report of an independent loader. Raises UsageError if it is not the loader that was started."""
    row = _version_row(ledger, domain, version)
    if state not in _LOADER_STATES:
        raise UsageError(f"a loader is {', '.join(sorted(_LOADER_STATES))}, not {state!r}")
    if row.loader_state is None:
        raise ActionRefused(f"no loader was started for version {version} of {domain}")
    if row.loader_execution not in {None, execution}:
        wrong = f"not {execution}" if execution else f"name it: --execution-id {row.loader_execution}"
        raise UsageError(f"the loader of version {version} of {domain} is {row.loader_execution}: {wrong}")
    _record_outcome(ledger, domain, version, LoaderOutcome(state, says, execution), now)


def _version_row(ledger: Ledger, domain: str, version: int) -> Row[Any]:
    row = ledger.read(partial(published_versions.find_version, domain=domain, version=version))
    if row is None or row.state != published_versions.PUBLISHED:
        raise PublishingRefused(f"{domain} has no published version {version}")
    return row


def _run_loader_command(
    loader: Loader, variables: Mapping[str, str], environment: Mapping[str, str], begun: Callable[[str | None], None]
) -> LoaderOutcome:
    inherited = {name: value for name, value in environment.items() if name not in SECRET_VARIABLES | MAY_HOLD_SECRETS}
    heard: list[str | None] = []

    def first_line(line: str) -> None:
        heard.append(_execution_id_in(_json_fields(line)))
        begun(heard[0])

    ended = run_command(loader.command, {**inherited, **variables}, timeout_s=loader.timeout_s, first_line=first_line)
    execution = heard[0] if heard else None
    if ended.code == 0:
        return LoaderOutcome(published_versions.LOADER_DONE, None, execution)
    message = ended.says if ended.code is None else f"exit code {ended.code}: {ended.says}"
    return LoaderOutcome(published_versions.LOADER_FAILED, message, execution)


def _call_loader_hook(hook: WebhookClient, variables: Mapping[str, str], now: datetime) -> LoaderOutcome:
    data = {
        "tenant_id": variables["TENANT_ID"],
        "source_dir": variables["SOURCE_DIR"],
        "version": int(variables["VERSION"]),
    }
    body = json.dumps({"type": "corpus.published", "timestamp": now.isoformat(), "data": data}).encode()
    try:
        answer = hook.send(f"corpus_{variables['TENANT_ID']}_{variables['VERSION']}_{now:%Y%m%dT%H%M%S}", body, now)
    except WebhookFailed as error:
        return LoaderOutcome(published_versions.LOADER_FAILED, f"{hook.place}: {error}")
    fields = _json_fields(answer.decode(errors="replace"))
    state = str(fields.get("state", published_versions.LOADER_STARTED))
    says = f"{hook.place} reported the unknown state {state!r}" if state not in _LOADER_STATES else fields.get("says")
    return LoaderOutcome(
        state if state in _LOADER_STATES else published_versions.LOADER_FAILED,
        str(says) if says else None,
        _execution_id_in(fields),
    )


def _json_fields(text: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _execution_id_in(fields: Mapping[str, Any]) -> str | None:
    name = fields.get("execution_id")
    return str(name)[:200] if isinstance(name, str | int) and not isinstance(name, bool) else None


def _record_execution(
    ledger: Ledger, domain: str, version: int, clock: Callable[[], datetime], execution: str | None
) -> None:
    ledger.write(
        lambda conn: published_versions.record_loader_state(
            conn, domain, version, published_versions.LOADER_STARTED, now=clock(), execution=execution, says=None
        )
    )


def _record_outcome(ledger: Ledger, domain: str, version: int, outcome: LoaderOutcome, now: datetime) -> None:
    message = get_redactor().text(outcome.says)[:_MAX_MESSAGE_CHARS] if outcome.says else None

    def note(conn: Connection) -> None:
        published_versions.record_loader_state(
            conn, domain, version, outcome.state, now=now, execution=outcome.execution, says=message
        )
        if outcome.state == published_versions.LOADER_FAILED:
            note_unpublished(conn, domain, version, f"the loader failed: {message}", now=now)
        elif outcome.state == published_versions.LOADER_DONE:
            clear_corpus_alert(conn, CORPUS_UNPUBLISHED, domain, now=now)

    ledger.write(note)
