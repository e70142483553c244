"""Everything that prints passes the redactor: log records, uncaught errors, warnings, and what commands write.

``guard()`` is called before Scrapy sets up its logging, by ``commands`` and by the spider loader: whoever starts a
crawl passes one of them. It works on records as they are made, so that no handler, file or level is forgotten.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from rori_spiders.redaction.redactor import of_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_traceback = logging.Formatter().formatException


# All but the ends of lines and tabs: they could rewrite what a terminal shows, turn it around, or end a line unseen.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def legible(text: str) -> str:
    """*text* with its control characters spelled out, such as ``\\x1b``; tabs and ends of lines stay."""
    return text if text.isprintable() else _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


class RedactedRecord(logging.LogRecord):
    """A log record whose message and traceback are redacted and legible, and which holds nothing else to be printed.

    ``fields``: what was given as ``%(name)s``, redacted too.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

        def redact(text: str) -> str:
            return legible(of_process().text(text))

        given = self.args if isinstance(self.args, Mapping) else {}
        self.fields = {
            name: value if isinstance(value, bool | int | float | None) else redact(str(value))
            for name, value in given.items()
        }
        self.msg, self.args = redact(self._written()), None
        if self.exc_info:
            self.exc_text, self.exc_info = redact(_traceback(self.exc_info)), None
        if self.stack_info:
            self.stack_info = redact(self.stack_info)

    def _written(self) -> str:
        try:
            return super().getMessage()
        except Exception:  # the logging module would print message and arguments as they are
            return f"{self.msg!r} {self.args!r}"

    def getMessage(self) -> str:  # noqa: N802  (logging's name)
        # Arguments are back only in a record that somebody made of another one's values.
        return of_process().text(self._written()) if self.args else str(self.msg)


def guard() -> None:
    """From now on nothing is logged, warned of, or printed by an uncaught error that was not redacted. Idempotent."""
    if logging.getLogRecordFactory() is RedactedRecord:
        return
    of_process()
    logging.setLogRecordFactory(RedactedRecord)
    sys.excepthook = _uncaught
    before = threading.excepthook
    threading.excepthook = lambda args: before(args) if args.exc_value is None else _print(args.exc_value)
    sys.unraisablehook = lambda unraisable: _print(unraisable.exc_value) if unraisable.exc_value else None
    warnings.showwarning = _warn


def tell_uncaught(tell: Callable[[BaseException], str]) -> None:
    """From now on an uncaught error is written as *tell* words it, which redacts it."""
    global _told
    _told = tell


def _as_text(error: BaseException) -> str:
    return of_process().text("".join(traceback.format_exception(error)))


_told: Callable[[BaseException], str] = _as_text


def _uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):  # in the second in which a command starts
        sys.stderr.write("Stopped.\n")
    else:
        _print(error.with_traceback(trace))


def _print(error: BaseException) -> None:
    sys.stderr.write(_told(error))


def _warn(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None) -> None:
    written = warnings.formatwarning(message, category, filename, lineno, line)
    (file or sys.stderr).write(of_process().text(written))


class _Redacted:
    """A text stream through the redactor; in all else it is the stream."""

    def __init__(self, stream: TextIO, redact: Callable[[str], str]) -> None:
        self._stream = stream
        self._redact = redact

    def write(self, text: str) -> int:
        self._stream.write(self._redact(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Within: what is written to stdout and stderr is redacted too.

    On stdout, where listings are, only values that are known: their URLs were redacted when they were recorded, and
    what a program reads as JSON or CSV is not to be guessed at.
    """
    guard()
    redactor = of_process()
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Redacted(out, redactor.known), _Redacted(err, redactor.text)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
