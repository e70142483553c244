"""The loader, started for a version that is published: a command or a web hook, and what became of it.

It is told TENANT_ID, SOURCE_DIR and VERSION. What it answers is kept in the version's row of the ledger, redacted and
short; a failure is an alert. To start it again is to call this again.
"""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from rori_spiders.configuration.setting_types import MAY_HOLD_SECRETS, SECRET_VARIABLES
from rori_spiders.corpus.publishing.commands import run
from rori_spiders.exceptions import PublishingRefused, UsageError
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.reviews.corpus_alerts import clear_unpublished, note_unpublished
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

SECRET = "RORI_CORPUS_LOADER_SECRET"  # noqa: S105  (the variable's name)
_SHOWN = 1_000
_ANSWERS = {published_versions.LOADER_STARTED, published_versions.LOADER_DONE, published_versions.LOADER_FAILED}


class Settings(Protocol):
    def get(self, name: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Loader:
    """What is started: a command's arguments, or a web hook. It is taken for dead after *timeout_s*."""

    command: tuple[str, ...] = ()
    hook: WebhookClient | None = None
    timeout_s: float = 3600.0

    @classmethod
    def from_settings(cls, settings: Settings, environment: Mapping[str, str] = os.environ) -> Loader | None:
        """That of RORI_CORPUS_LOADER; None when there is none. Raises UsageError for what is neither."""
        text = str(settings.get("RORI_CORPUS_LOADER") or "").strip()
        if not text:
            return None
        timeout_s = float(settings.get("RORI_CORPUS_LOADER_TIMEOUT"))
        if text.startswith(("http://", "https://")):
            hook = WebhookClient.from_settings(text, environment, setting="RORI_CORPUS_LOADER", variable=SECRET)
            return cls(hook=hook, timeout_s=timeout_s)
        try:
            command = tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(f"RORI_CORPUS_LOADER is no command: {error}") from error
        return cls(command=command, timeout_s=timeout_s)


def heard_of(row: Row[Any], settings: Settings, *, now: datetime, is_latest: bool) -> tuple[str | None, str | None]:
    """State and words of a version's loader, as a person should read them at *now*.

    Where a process was killed the ledger has the loader ``started`` for good, or knows nothing: it is ``unknown`` once
    it has taken longer than it may, and ``not started`` where one is named for the latest version.
    """
    again = f"scrapy corpus load {row.domain} starts it"
    if row.state != published_versions.PUBLISHED or not str(settings.get("RORI_CORPUS_LOADER") or "").strip():
        return row.loader_state, row.loader_says
    if row.loader_state is None and is_latest:
        return "not started", again
    lost = now - timedelta(seconds=float(settings.get("RORI_CORPUS_LOADER_TIMEOUT")))
    if row.loader_state == published_versions.LOADER_STARTED and row.loader_at < lost:
        said = f"nothing was heard of it since {row.loader_at:%Y-%m-%d %H:%M} UTC"
        return "unknown", f"{said}: {again} again" if is_latest else said
    return row.loader_state, row.loader_says


@dataclass(frozen=True, slots=True)
class Outcome:
    """``state``: started (it goes on by itself), done or failed."""

    state: str
    says: str | None = None
    execution: str | None = None


def load(
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
    row = _row(ledger, domain, version)
    if loader is None:
        ledger.write(partial(clear_unpublished, domain=domain, now=clock()))
        return row
    lost = clock() - timedelta(seconds=loader.timeout_s)
    if not ledger.write(partial(_begin, domain=domain, version=version, now=clock(), lost_before=lost)):
        return row
    told = {"TENANT_ID": domain, "SOURCE_DIR": f"{store.location}/{row.prefix}", "VERSION": str(version)}
    outcome = Outcome(published_versions.LOADER_FAILED, "it was interrupted")
    try:
        if loader.hook is not None:
            outcome = _asked(loader.hook, told, clock())
        else:
            begun = partial(_note_execution, ledger, domain, version, clock)
            outcome = _ran(loader, told, environment, begun)
    finally:
        _note(ledger, domain, version, outcome, clock())
    return _row(ledger, domain, version)


def report(
    ledger: Ledger, domain: str, version: int, state: str, *, execution: str | None, says: str | None, now: datetime
) -> None:
    """Take in what a loader that goes on by itself says later. Raises UsageError when it is not the one started."""
    row = _row(ledger, domain, version)
    if state not in _ANSWERS:
        raise UsageError(f"a loader is {', '.join(sorted(_ANSWERS))}, not {state!r}")
    if row.loader_state is None:
        raise UsageError(f"no loader of version {version} of {domain} was started")
    if row.loader_execution not in {None, execution}:
        wrong = f"not {execution}" if execution else f"name it: --execution {row.loader_execution}"
        raise UsageError(f"the loader of version {version} of {domain} is {row.loader_execution}: {wrong}")
    _note(ledger, domain, version, Outcome(state, says, execution), now)


def _row(ledger: Ledger, domain: str, version: int) -> Row[Any]:
    row = ledger.read(partial(published_versions.find_version, domain=domain, version=version))
    if row is None or row.state != published_versions.PUBLISHED:
        raise PublishingRefused(f"{domain} has no published version {version}")
    return row


def _begin(conn: Connection, domain: str, version: int, now: datetime, lost_before: datetime) -> bool:
    return published_versions.begin_loader(conn, domain, version, now=now, lost_before=lost_before)


def _ran(
    loader: Loader, told: Mapping[str, str], environment: Mapping[str, str], begun: Callable[[str | None], None]
) -> Outcome:
    kept = {name: value for name, value in environment.items() if name not in SECRET_VARIABLES | MAY_HOLD_SECRETS}
    heard: list[str | None] = []

    def first_line(line: str) -> None:
        heard.append(_execution(line))
        begun(heard[0])

    ended = run(loader.command, {**kept, **told}, timeout_s=loader.timeout_s, first_line=first_line)
    execution = heard[0] if heard else None
    if ended.code == 0:
        return Outcome(published_versions.LOADER_DONE, None, execution)
    said = ended.says if ended.code is None else f"it ended with code {ended.code}: {ended.says}"
    return Outcome(published_versions.LOADER_FAILED, said, execution)


def _asked(hook: WebhookClient, told: Mapping[str, str], now: datetime) -> Outcome:
    data = {"tenant_id": told["TENANT_ID"], "source_dir": told["SOURCE_DIR"], "version": int(told["VERSION"])}
    body = json.dumps({"type": "corpus.published", "timestamp": now.isoformat(), "data": data}).encode()
    try:
        answer = hook.send(f"corpus_{told['TENANT_ID']}_{told['VERSION']}_{now:%Y%m%dT%H%M%S}", body, now)
    except WebhookFailed as error:
        return Outcome(published_versions.LOADER_FAILED, f"{hook.place}: {error}")
    fields = _fields(answer.decode(errors="replace"))
    state = str(fields.get("state", published_versions.LOADER_STARTED))
    says = f"{hook.place} answered that it is {state!r}" if state not in _ANSWERS else fields.get("says")
    return Outcome(
        state if state in _ANSWERS else published_versions.LOADER_FAILED,
        str(says) if says else None,
        _execution_in(fields),
    )


def _fields(text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _execution(line: str) -> str | None:
    return _execution_in(_fields(line))


def _execution_in(fields: Mapping[str, Any]) -> str | None:
    name = fields.get("execution_id")
    return str(name)[:200] if isinstance(name, str | int) and not isinstance(name, bool) else None


def _note_execution(
    ledger: Ledger, domain: str, version: int, clock: Callable[[], datetime], execution: str | None
) -> None:
    ledger.write(
        lambda conn: published_versions.record_loader_state(
            conn, domain, version, published_versions.LOADER_STARTED, now=clock(), execution=execution, says=None
        )
    )


def _note(ledger: Ledger, domain: str, version: int, outcome: Outcome, now: datetime) -> None:
    said = get_redactor().text(outcome.says)[:_SHOWN] if outcome.says else None

    def note(conn: Connection) -> None:
        published_versions.record_loader_state(
            conn, domain, version, outcome.state, now=now, execution=outcome.execution, says=said
        )
        if outcome.state == published_versions.LOADER_FAILED:
            note_unpublished(conn, domain, version, f"its loader failed: {said}", now=now)
        elif outcome.state == published_versions.LOADER_DONE:
            clear_unpublished(conn, domain, now=now)

    ledger.write(note)
