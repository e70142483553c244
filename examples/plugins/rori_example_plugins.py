"""One plug-in of each kind: docs/how-to/write-a-plug-in.md explains them. Begin with a copy of this folder."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from rori_spiders.content.documents.document import Document
from rori_spiders.exceptions import StagingError, UnreadableDocument
from rori_spiders.runtime.plugins import (
    DocumentConverter,
    MetadataExtractor,
    NoiseRule,
    Notifier,
    StagingStore,
    VerdictRules,
)
from rori_spiders.staging.disk.store import DiskStore
from rori_spiders.verdicts.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

logger = logging.getLogger(__name__)

# A converter: calendars of hearings (iCalendar, RFC 5545) as markdown.

_FOLDED = re.compile(r"\r?\n[ \t]")
_ESCAPED = re.compile(r"\\([\\;,nN])")


def read_calendar(body: bytes, url: str) -> Document:
    """Each event with its title as a heading, its time and its description."""
    lines = _FOLDED.sub("", body.decode("utf-8", "replace")).splitlines()
    if "END:VCALENDAR" not in lines:
        raise UnreadableDocument(f"{url}: the calendar was cut off")
    parts, event, title = list[str](), dict[str, str](), None
    for line in lines:
        name, _, value = line.partition(":")
        name = name.partition(";")[0].upper()
        value = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
        if line == "BEGIN:VEVENT":
            event = {}
        elif line == "END:VEVENT":
            parts.append(f"## {event.get('SUMMARY', 'Event')}")
            parts += [event[one] for one in ("DTSTART", "LOCATION", "DESCRIPTION") if event.get(one)]
        elif name == "X-WR-CALNAME":
            title = value
        else:
            event[name] = value
    heading = [f"# {title}"] if title else []
    return Document("\n\n".join([*heading, *parts]) + "\n", "markdown", title=title)


CALENDARS = DocumentConverter(interface=1, read=read_calendar, signature=b"BEGIN:VCALENDAR")

# Verdict rules: what one portal shows instead of a bulletin. `source` says where the wording was seen.

PORTAL_WALLS = VerdictRules(
    interface=1,
    rules=(
        Rule(
            "register-to-read",
            "login_wall",
            None,
            "strong",
            "text",
            r"\bregister with the bulletin portal to read\b",
            "captured",
        ),
    ),
)

# A noise rule: a line with a number that differs at each visit.

TICKET_LINES = NoiseRule(interface=1, pattern=r"portal ticket no\.?\s*\d+", words=("ticket",))

# A metadata extractor: which office wrote it stands in a comment of the template.

_OFFICE = re.compile(r"<!-- office: ([^<>]{1,100}) -->")


def find_office(text: str, url: str) -> dict[str, str]:
    """The author, where the comment is there."""
    found = _OFFICE.search(text)
    return {"author": found[1].strip()} if found else {}


OFFICE_OF = MetadataExtractor(interface=1, extract=find_office)

# A notifier: RORI_ALERT_URLS=appendfile:///var/log/alerts.txt


def append_to_file(url: str, title: str, body: str) -> None:
    """What it raises is why the alert was not sent; it is tried again."""
    with Path(urlsplit(url).path).open("a", encoding="utf-8") as file:
        file.write(f"{title}\n{body}\n\n")


APPEND_FILE = Notifier(interface=1, scheme="appendfile", send=append_to_file)

# A store: RORI_STAGING=mirrored:///srv/staged?to=/mnt/copy is a folder whose envelopes are written to another one, too.


class MirroredStore(DiskStore):
    """A staging area in a folder, with a copy of each envelope. A copy that fails is only logged."""

    def __init__(self, root: Path, mirror: Path) -> None:
        super().__init__(root)
        self._mirror = mirror

    def write_envelope(self, path: str, data: bytes) -> None:
        super().write_envelope(path, data)
        self._copy(path, data)

    def write_envelopes(self, files: Mapping[str, bytes]) -> set[str]:
        refused = super().write_envelopes(files)
        for path, data in files.items():
            if path not in refused:
                self._copy(path, data)
        return refused

    def _copy(self, path: str, data: bytes) -> None:
        target = self._mirror / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            logger.warning("%s was not copied to %s: %s", path, self._mirror, error)


def open_mirrored(uri: str) -> MirroredStore:
    """It only reads the address: `scrapy doctor` and each command open it, and create nothing."""
    parts = urlsplit(uri)
    [mirror] = parse_qs(parts.query).get("to") or [""]
    if not (Path(parts.path).is_absolute() and Path(mirror).is_absolute()):
        raise StagingError(f"{uri!r} is not mirrored:///folder?to=/another/folder")
    return MirroredStore(Path(parts.path), Path(mirror))


MIRRORED = StagingStore(interface=1, scheme="mirrored", open=open_mirrored)
