"""Records as text and as JSON: one record stays one, whatever a server sent."""

from __future__ import annotations

import io
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.runtime.log_formatters import JobFormatter, build_formatter, format_uncaught_error
from rori_spiders.runtime.redacted_output import RedactedRecord
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "%(asctime)s %(levelname)s [%(name)s] %(message)s"
FORGED = "https://example.org/\n2026-01-01 00:00:00 INFO [rori_spiders.crawl.runs.lifecycle] all is well"


@pytest.fixture(autouse=True)
def records() -> Iterator[None]:
    before = logging.getLogRecordFactory()
    logging.setLogRecordFactory(RedactedRecord)
    yield
    logging.setLogRecordFactory(before)
    JobFormatter.job_id = None


def written(form: str, message: str, *args: Any, **kwargs: Any) -> str:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(build_formatter(form, TEXT, None))
    logger = logging.Logger("rori_spiders.test")
    logger.addHandler(handler)
    logger.warning(message, *args, **kwargs)
    return out.getvalue()


def test_log_formatter_json_has_values_as_keys() -> None:
    JobFormatter.job_id = "0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11"
    values = {"source": "a", "state": "failed", "seconds": 1.25}
    line = json.loads(written("json", "%(source)s: %(state)s after %(seconds).1f s", values))
    assert line["message"] == "a: failed after 1.2 s"
    assert (line["source"], line["state"], line["seconds"]) == ("a", "failed", 1.25)
    assert (line["level"], line["logger"]) == ("WARNING", "rori_spiders.test")
    assert line["job"] == "0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11"
    assert line["timestamp"].endswith("Z") and line["node"] and line["pid"]


def test_log_formatter_value_does_not_replace_time() -> None:
    line = json.loads(written("json", "%(timestamp)s %(level)s", {"timestamp": "never", "level": "INFO"}))
    assert line["level"] == "WARNING"
    assert (line["timestamp_"], line["level_"]) == ("never", "INFO")


def test_log_formatter_json_traceback_is_a_key() -> None:
    out = written("json", "it broke", exc_info=ValueError(FORGED))
    assert out.count("\n") == 1
    assert "ValueError: https://example.org/" in json.loads(out)["exception"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_log_formatter_only_records_start_lines(form: str) -> None:
    out = written(form, "%(url)s", {"url": f"{FORGED}\r\x1b[2J\x85\u2028\u202etxt"})
    beginning = [line for line in out.split("\n") if line and not line.startswith("    ")]
    assert len(beginning) == 1
    assert not set(out) & set("\r\x1b\x85\u2028\u202e")
    assert "u001b[2J" in out


@pytest.mark.parametrize("form", ["text", "json"])
def test_log_formatter_traceback_lines_are_indented(form: str) -> None:
    out = written(form, "it broke", exc_info=ValueError(FORGED))
    assert [line for line in out.split("\n") if line.startswith("2026-01-01")] == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_log_formatter_json_secrets_are_masked_in_every_key(form: str) -> None:
    get_redactor().learn("tr0ub4dor-and-3")
    out = written(form, "%(url)s", {"url": "https://e.org/?q=tr0ub4dor-and-3", "kept": ["tr0ub4dor-and-3"]})
    assert "tr0ub4dor" not in out
    assert "[redacted]" in out


def test_log_formatter_uncaught_exception_is_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobFormatter, "job_id", "a-job")
    try:
        raise ValueError("https://example.org/?api_key=0123456789abcdef")  # noqa: TRY301
    except ValueError as error:
        line = format_uncaught_error(error)
    said = json.loads(line)
    assert line.count("\n") == 1
    assert (said["level"], said["message"], said["error"], said["job"]) == (
        "CRITICAL",
        "Uncaught ValueError",
        "ValueError",
        "a-job",
    )
    assert "Traceback" in said["exception"]
    assert "0123456789abcdef" not in line
