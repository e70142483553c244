"""The loader is started once for a version: what it is told, what is kept of it, and what becomes of one that fails."""

from __future__ import annotations

import json
import os
import sys
from base64 import b64decode
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.publishing.loader_runner import Loader, loader_status, report_load, start_loader
from rori_spiders.exceptions import PublishingRefused, UsageError
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.ledger.operations import alerts
from rori_spiders.staging.webhook.client import WebhookClient
from tests.corpus.publishing.factories import DOMAIN, NOW, SITE
from tests.staging.webhook.receiver import SECRET, Receiver, receiving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.corpus.publishing.conftest import Corpus


@dataclass
class Started:
    """A corpus with a published version, and a clock that can be moved."""

    corpus: Corpus
    now: Any = field(default=NOW)

    def load(self, *command: str, timeout_s: float = 30.0, **environment: str) -> Any:
        loader = Loader(command=command, timeout_s=timeout_s)
        return self.by(loader, environment={"PATH": os.environ["PATH"], **environment})

    def by(self, loader: Loader | None, **given: Any) -> Any:
        return start_loader(self.corpus.ledger, self.corpus.store, loader, DOMAIN, 1, clock=lambda: self.now, **given)

    def alerts(self) -> list[str]:
        with self.corpus.ledger.connect() as conn:
            return [one["message"] for one in alerts.open_alerts(conn)]


@pytest.fixture
def started(corpus: Corpus) -> Started:
    corpus.publish(SITE)
    return Started(corpus)


def named(loader: str) -> dict[str, Any]:
    """Settings that name it."""
    return {"RORI_CORPUS_LOADER": loader, "RORI_CORPUS_LOADER_TIMEOUT": 60}


def python(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", code


def test_loader_command_gets_variables_and_execution_id_is_stored(started: Started, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    code = (
        "import json, os, sys; print(json.dumps({'execution_id': 'e-7'})); "
        f"json.dump(dict(os.environ), open({str(told)!r}, 'w'))"
    )
    row = started.load(*python(code), RORI_LLM_KEYS="secret", RORI_DATABASE_URL="postgresql://x:y@z/", INDEX="i.db")
    assert (row.loader_state, row.loader_execution, row.loader_says) == ("done", "e-7", None)
    environment = json.loads(told.read_text())
    assert environment["TENANT_ID"] == DOMAIN
    assert environment["VERSION"] == "1"
    assert environment["SOURCE_DIR"] == str(tmp_path / "staged" / "domains" / DOMAIN / "corpora" / "v1")
    assert environment["INDEX"] == "i.db"
    assert not {"RORI_LLM_KEYS", "RORI_DATABASE_URL"} & environment.keys(), "none of its business"
    told.unlink()
    assert started.load(*python(code)).loader_state == "done"
    assert not told.exists(), "it is done, and not started again"


def test_loader_command_failure_opens_alert_until_repeated(started: Started) -> None:
    long = "x" * 5000
    row = started.load(*python(f"import sys; sys.exit('no room: https://u:pw@index.example/ {long}')"))
    assert (row.loader_state, row.loader_execution) == ("failed", None)
    assert row.loader_says.startswith("exit code 1: no room")
    assert "pw" not in row.loader_says
    assert len(row.loader_says) <= 1000
    [said] = started.alerts()
    assert said.startswith(f"Version 1 of the corpus of {DOMAIN}: the loader failed: exit code 1")
    assert started.load(*python("print('not JSON')")).loader_state == "done"
    assert started.alerts() == []


def test_loader_command_missing_or_endless_fails(started: Started) -> None:
    assert "cannot be started" in started.load("/no/such/program").loader_says
    row = started.load(*python("import time; print('begun', flush=True); time.sleep(60)"), timeout_s=0.5)
    assert row.loader_state == "failed"
    assert row.loader_says == "did not end within 0.5 s. begun"
    assert len(started.alerts()) == 1


def test_loader_status_without_report_is_unknown(started: Started) -> None:
    """A process that was killed leaves it started in the ledger, or never begun."""

    def heard(later_s: float = 0.0, *, loader: str = "load", is_latest: bool = True) -> tuple[str | None, str | None]:
        now = NOW + timedelta(seconds=later_s)
        with started.corpus.ledger.connect() as conn:
            row = published_versions.find_version(conn, DOMAIN, 1)
        assert row is not None
        return loader_status(row, named(loader), now=now, is_latest=is_latest)

    assert heard() == ("not started", f"scrapy corpus load {DOMAIN} starts it")
    assert heard(loader="") == heard(is_latest=False) == (None, None)
    with started.corpus.ledger.begin() as conn:
        assert published_versions.begin_loader(conn, DOMAIN, 1, now=NOW, lost_before=NOW)
    assert heard(60) == ("started", None)
    said = "no report since 2026-11-23 12:00 UTC"
    assert heard(61) == ("unknown", f"{said}: scrapy corpus load {DOMAIN} starts it again")
    assert heard(61, is_latest=False) == ("unknown", said)
    started.now = NOW + timedelta(seconds=61)
    assert started.load(*python("pass")).loader_state == "done"
    assert heard(9999) == ("done", None)


def test_loader_not_configured_publication_is_complete(started: Started) -> None:
    started.load("/no/such/program")
    assert started.by(None).loader_state == "failed"
    assert started.alerts() == []
    with pytest.raises(PublishingRefused, match="has no published version 9"):
        start_loader(started.corpus.ledger, started.corpus.store, None, DOMAIN, 9, clock=lambda: NOW)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as opened:
        yield opened


def test_loader_hook_gets_signed_request_and_reports_later(started: Started, receiver: Receiver) -> None:
    loader = Loader.from_settings(named(receiver.url), {"RORI_CORPUS_LOADER_SECRET": SECRET})
    assert loader is not None
    started.now = datetime.now(UTC)  # the signature is of now
    receiver.body = b'{"execution_id": "job-1"}'
    row = started.by(loader)
    assert (row.loader_state, row.loader_execution) == ("started", "job-1")
    [(_, told)] = receiver.messages
    assert (told["type"], told["data"]["tenant_id"], told["data"]["version"]) == ("corpus.published", DOMAIN, 1)
    assert told["data"]["source_dir"].endswith(f"domains/{DOMAIN}/corpora/v1")
    assert started.by(loader).loader_state == "started"
    assert receiver.request_count == 1, "it is under way"
    with pytest.raises(UsageError, match="is job-1: not job-2"):
        report_load(started.corpus.ledger, DOMAIN, 1, "done", execution="job-2", says=None, now=NOW)
    report_load(started.corpus.ledger, DOMAIN, 1, "failed", execution="job-1", says="no room", now=NOW)
    assert len(started.alerts()) == 1
    receiver.body = b'{"execution_id": "job-2", "state": "done"}'
    assert started.by(loader).loader_state == "done"
    assert started.alerts() == []


def test_loader_hook_silence_becomes_lost_refusal_fails(started: Started, receiver: Receiver) -> None:
    loader = Loader(hook=WebhookClient(receiver.url, b64decode(SECRET)), timeout_s=60)
    started.now = datetime.now(UTC)
    receiver.body = b"<html>"
    assert started.by(loader).loader_state == "started"
    started.now += timedelta(seconds=61)
    receiver.answers = [500]
    row = started.by(loader)
    assert (row.loader_state, row.loader_says) == ("failed", f"{loader.hook and loader.hook.place}: it answered 500")
    assert receiver.request_count == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [("load 'it", "is not a valid command"), ("https://x.example/", "RORI_CORPUS_LOADER_SECRET is not set")],
)
def test_loader_settings_invalid_are_refused(given: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Loader.from_settings(named(given), {})
    assert Loader.from_settings(named("  "), {}) is None
    whole = Loader.from_settings(named("load --into 'my index'"), {})
    assert whole == Loader(("load", "--into", "my index"), None, 60)
