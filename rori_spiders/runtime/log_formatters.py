"""A log record as text or as one line of JSON; neither lets what a server sent begin a line of its own.

In: records that are redacted already (``runtime/redacted_output.py``), without control characters. Out: lines.
"""

from __future__ import annotations

import logging
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pythonjsonlogger.json import JsonFormatter

if TYPE_CHECKING:
    from pythonjsonlogger.core import LogData

#: What follows in a record of several lines stands behind this: only a record begins at the margin.
INDENT = "    "


class LineFormatter(logging.Formatter):
    """Scrapy's text; of a message or traceback of several lines all but the first are indented."""

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\n", f"\n{INDENT}")


class JobFormatter(JsonFormatter):
    """One JSON object a record: when, how grave, by whom, what; the values in the message as keys of their own."""

    #: Of this process, once it has one: ``scheduler_job_id`` of its envelopes.
    job_id: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self._node = socket.gethostname()

    def add_fields(self, log_data: LogData, record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        at = datetime.fromtimestamp(record.created, UTC)
        log_data |= {
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "node": self._node,
            "pid": record.process,
        }
        if JobFormatter.job_id:
            log_data["job"] = JobFormatter.job_id
        if spider := getattr(getattr(record, "spider", None), "name", None):
            log_data["spider"] = spider
        for name, text in (("exception", message_dict.get("exc_info")), ("stack", message_dict.get("stack_info"))):
            if text:
                log_data[name] = text
        for name, value in getattr(record, "fields", {}).items():
            log_data[f"{name}_" if name in log_data else name] = value


def format_uncaught_error(error: BaseException) -> str:
    """An error that nobody caught, as a line of JSON: a record of the process itself."""
    record = logging.getLogRecordFactory()(
        __package__ or "",
        logging.CRITICAL,
        "",
        0,
        "Uncaught %(error)s",
        ({"error": type(error).__name__},),
        (type(error), error, error.__traceback__),
    )
    return f"{JobFormatter().format(record)}\n"


def build_formatter(form: str, fmt: str | None, datefmt: str | None) -> logging.Formatter:
    """The formatter of RORI_LOG_FORMAT: ``json``, or ``text`` by Scrapy's LOG_FORMAT and LOG_DATEFORMAT."""
    return JobFormatter() if form == "json" else LineFormatter(fmt, datefmt)
