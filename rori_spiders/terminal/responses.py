"""The answer of a server as it was kept: status and headers for people, the body for people or as it came."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rori_spiders.redaction import of_process
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.stores.base import Store

#: A terminal shows so much of a body, characters.
_SHOWN_CHARS = 20_000


def show(row: Mapping[str, Any], store: Store) -> int:
    """Write what the audit *row* and its object have of an answer; exit code 1 when no body was kept.

    At a terminal the body is text without control characters; to a file or a pipe it goes as it came.
    """
    _head(row)
    try:
        body = store.get_object(row["raw_hash"]) if row["raw_hash"] else None
    except FileNotFoundError:
        body = None
    if body is None:
        sys.stderr.write(f"No body was kept of it: {_why(row)}.\n")
        return 1
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(body)
        return 0
    text = of_process().text(body.decode("utf-8", "replace"))
    print("\n".join(harmless(line) for line in text[:_SHOWN_CHARS].splitlines()))
    if len(text) > _SHOWN_CHARS:
        sys.stderr.write(f"... and {len(text) - _SHOWN_CHARS} characters more: write it to a file\n")
    return 0


def _head(row: Mapping[str, Any]) -> None:
    why = row["error"] or row["reason"]  # the error also says what was cut off
    lines = [
        f"{row['url']}",
        f"{row['timestamp']}, by {row['engine']}: {row['state']}{': ' if why else ''}{why or ''}",
        f"HTTP {row['http_status'] or '-'}{' from ' if row['ip_address'] else ''}{row['ip_address'] or ''}",
    ]
    lines += [f"{name}: {value}" for name, values in (row["response_headers"] or {}).items() for value in values]
    sys.stderr.write("".join(f"{harmless(line)}\n" for line in lines) + "\n")


def _why(row: Mapping[str, Any]) -> str:
    if row["raw_hash"] is None:
        return "the server sent none, or there was no answer"
    return "its text was that of the version before, so its bytes were not kept again, or they were removed"
