"""Everything that prints passes here: log records, uncaught errors, warnings, and what commands write.

It leaves without secrets (``redaction.py``) and without control characters (``control_characters.py``), and what it
says of our commands has the name by which the program was started.

``guard()`` is called before Scrapy sets up its logging, by ``commands`` and by the spider loader: whoever starts a
crawl passes one of them. It works on records as they are made, so that no handler, file or level is forgotten.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TextIO, cast

from rori_spiders.runtime.control_characters import escape_control_characters
from rori_spiders.runtime.redaction import get_redactor

_traceback = logging.Formatter().formatException


_CLEAR_LINE = "\r\x1b[K"
#: A command of ours in a sentence: not the end of a path, and nothing that a person typed in quotes.
_COMMAND = re.compile(r"(?<![\w./'\"-])scrapy (?=[a-z])")


class PersonsWords(str):
    """A sentence that has in it what a person wrote: our commands are not renamed there."""

    __slots__ = ()


@cache
def program_name() -> str:
    """How this process was started, as one types it again here: `scrapy`, `rori`, `.venv/bin/scrapy`."""
    path = Path(sys.argv[0])
    if path.name == "__main__.py" and path.parent.name == "scrapy":  # python -m scrapy
        return f"{_shorten_path(Path(sys.executable))} -m scrapy"
    if path.name not in {"rori", "scrapy"}:  # a test, a job of Scrapyd
        return "scrapy"
    on_path = shutil.which(path.name)
    is_on_path = path.parent == Path() or (on_path is not None and path.exists() and path.samefile(on_path))
    return path.name if is_on_path else _shorten_path(path)


def _shorten_path(path: Path) -> str:
    found = shutil.which(path.name)
    if found is not None and Path(found) == path:
        return path.name
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def name_program(sentence: str) -> str:
    """*sentence* with its commands as they are typed here. Not for what a program reads, nor for a text of a page."""
    return _name_as(program_name(), sentence)


def name_rori(message: str) -> str:
    """*message* for a log, an e-mail or the monitor, which are read elsewhere: commands without the program's path."""
    return _name_as(started_program(), message)


def _name_as(program: str, sentence: str) -> str:
    if program == "scrapy" or isinstance(sentence, PersonsWords):
        return sentence
    return _COMMAND.sub(lambda _: f"{program} ", sentence)


def started_program() -> str:
    """`rori` where this process was started so, else `scrapy`: without a path, for who reads elsewhere."""
    return "rori" if Path(sys.argv[0]).name == "rori" else "scrapy"


def drop_output() -> None:
    """Write no more: who read the output (`| head`) has enough. Python would complain again while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_printable(text: str) -> str:
    """*text* as it may be printed: redacted, without control characters."""
    return escape_control_characters(get_redactor().text(text))


class RedactedRecord(logging.LogRecord):
    """A log record whose message and traceback are redacted and legible, and which holds nothing else to be printed.

    ``fields``: what was given as ``%(name)s``, redacted too.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

        values = self.args if isinstance(self.args, Mapping) else {}
        self.fields = {
            name: value if isinstance(value, bool | int | float | None) else make_printable(str(value))
            for name, value in values.items()
        }
        self.msg, self.args = make_printable(name_rori(self._written())), None
        if self.exc_info:
            self.exc_text, self.exc_info = make_printable(_traceback(self.exc_info)), None
        if self.stack_info:
            self.stack_info = make_printable(self.stack_info)

    def _written(self) -> str:
        try:
            return super().getMessage()
        except Exception:  # the logging module would print message and arguments as they are
            return f"{self.msg!r} {self.args!r}"

    def getMessage(self) -> str:  # noqa: N802  (logging's name)
        # Arguments are back only in a record that somebody made of another one's values.
        return make_printable(self._written()) if self.args else str(self.msg)


def install_redaction() -> None:
    """From now on nothing is logged, warned of, or printed by an uncaught error that was not redacted. Idempotent."""
    if logging.getLogRecordFactory() is RedactedRecord:
        return
    get_redactor()
    logging.setLogRecordFactory(RedactedRecord)
    sys.excepthook = _handle_uncaught
    before = threading.excepthook
    threading.excepthook = lambda args: before(args) if args.exc_value is None else _print_error(args.exc_value)
    sys.unraisablehook = lambda unraisable: _print_error(unraisable.exc_value) if unraisable.exc_value else None
    warnings.showwarning = _show_warning


def set_uncaught_formatter(format_error: Callable[[BaseException], str]) -> None:
    """From now on an uncaught error is written as *format_error* words it, which redacts it."""
    global _format_error
    _format_error = format_error


def _format_traceback(error: BaseException) -> str:
    return make_printable("".join(traceback.format_exception(error)))


_format_error: Callable[[BaseException], str] = _format_traceback


def _handle_uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):  # in the second in which a command starts
        sys.stderr.write("Stopped.\n")
        raise SystemExit(1)  # else Python ends by the signal: 130 in a shell, which no table of exit codes names
    _print_error(error.with_traceback(trace))


def _print_error(error: BaseException) -> None:
    sys.stderr.write(_format_error(error))


def _show_warning(
    message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None
) -> None:
    written = warnings.formatwarning(message, category, filename, lineno, line)
    (file or sys.stderr).write(make_printable(written))


class _RedactedStream:
    """A text stream through the redactor; in all else it is the stream."""

    def __init__(self, stream: TextIO, redact: Callable[[str], str]) -> None:
        self._stream = stream
        self._redact = redact

    def write(self, text: str) -> int:
        self._stream.write(escape_control_characters(self._redact(text)))
        return len(text)

    def styled(self) -> _StyledStream:
        return _StyledStream(self._stream, self._redact)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _StyledStream(_RedactedStream):
    """A text stream through the redactor that lets escape sequences pass, for what is our own."""

    def write(self, text: str) -> int:
        self._stream.write(self._redact(text))
        return len(text)


def styled_stream(out: TextIO) -> TextIO:
    """*out* for text with escape sequences of our own, such as Rich's; what others wrote in it is escaped already."""
    return cast("TextIO", out.styled()) if isinstance(out, _RedactedStream) else out


def write_progress_line(line: str) -> None:
    """Replace the last line of the terminal at stderr by *line*; nothing where there is none."""
    if sys.stderr.isatty():
        styled_stream(sys.stderr).write(f"{_CLEAR_LINE}{make_printable(line)}")
        sys.stderr.flush()


@contextmanager
def redacted_output() -> Iterator[None]:
    """Within: what is written to stdout and stderr is redacted too, and has no control characters.

    On stdout, where listings are, only values that are known: their URLs were redacted when they were recorded, and
    what a program reads as JSON or CSV is not to be guessed at.
    """
    install_redaction()
    redactor = get_redactor()
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _RedactedStream(out, redactor.known), _RedactedStream(err, redactor.text)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
