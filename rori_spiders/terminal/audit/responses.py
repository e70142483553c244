"""A stored response: status and headers to stderr, the body to stdout."""

import sys
from collections.abc import Mapping
from typing import Any

from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.store import Store

#: The most of a body that is printed to a terminal, characters.
_SHOWN_CHARS = 20_000


def print_response(row: Mapping[str, Any], store: Store) -> int:
    """Print the stored response of the audit *row*; exit code 1 if it has no body.

    A terminal gets the body as text without control characters, a file or pipe the original bytes.
    """
    why = row["error"] or row["reason"]  # the error also names truncation
    lines = [
        f"{row['url']}",
        f"{row['timestamp']}, by {row['engine']}: {row['state']}{': ' if why else ''}{why or ''}",
        f"HTTP {row['http_status'] or '-'}{' from ' if row['ip_address'] else ''}{row['ip_address'] or ''}",
    ]
    lines += [f"{name}: {value}" for name, values in (row["response_headers"] or {}).items() for value in values]
    sys.stderr.write("".join(f"{escape_one_line(line)}\n" for line in lines) + "\n")
    try:
        body = store.get_object(row["raw_hash"]) if row["raw_hash"] else None
    except FileNotFoundError:
        body = None
    if body is None:
        sys.stderr.write(f"No stored body: {_missing_body_reason(row)}.\n")
        return 1
    write_stored_bytes(body)
    return 0


def write_stored_bytes(data: bytes) -> None:
    """Write *data* as it is stored to a file or pipe; a terminal gets the text without control characters."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(data)
        return
    text = get_redactor().text(data.decode("utf-8", "replace"))
    print(text[:_SHOWN_CHARS])
    if len(text) > _SHOWN_CHARS:
        sys.stderr.write(f"... and {len(text) - _SHOWN_CHARS} more characters: redirect the output to a file\n")


def _missing_body_reason(row: Mapping[str, Any]) -> str:
    if row["raw_hash"] is None:
        return "the server sent no body, or did not answer"
    return "the text was unchanged, so the bytes were not stored again, or they were pruned"
