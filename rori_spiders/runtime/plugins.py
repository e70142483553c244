"""What other packages add to the collector: plug-ins, found by the entry points of ``GROUP``.

Out: those that are active, each with what identifies its code, and those that are left out, each with why. Every
process of a job loads the same; what was active is recorded with each run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from rori_spiders.content.documents.document import Document
    from rori_spiders.staging.store import Store
    from rori_spiders.verdicts.rule import Rule

GROUP = "rori_collector.plugins"
#: Of the classes below. A plug-in names the one that it was written for, and is left out by a program with another.
INTERFACE = 1
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What an entry point leads to: an instance of one of the classes below."""

    kind: ClassVar[str]
    #: Whether texts, and so their hashes, depend on it.
    changes_text: ClassVar[bool] = False
    interface: int

    def check(self) -> None:
        """Raise ValueError for what cannot work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentConverter(Plugin):
    """Reads a format of files: ``read(body, url)`` gives a Document, or raises UnreadableDocument with a sentence.

    It is asked for a body that begins with *signature*. A format without one is known by its *media_types* in
    ``Content-Type``; a body that is HTML is never taken for it.
    """

    kind = "converter"
    changes_text = True
    read: Callable[[bytes, str], Document]
    signature: bytes = b""
    media_types: tuple[str, ...] = ()

    def check(self) -> None:
        if not callable(self.read) or not (self.signature or self.media_types):
            raise ValueError("a converter needs `read`, and a signature or media types")
        if len(self.signature) == 1:
            raise ValueError("one byte is not a signature: give at least two")

    def claims(self, body: bytes, content_type: str | None, *, is_html: bool) -> bool:
        """Whether *body* is a file of this format."""
        if self.signature:
            return body.startswith(self.signature)
        return not is_html and (content_type or "").split(";")[0].strip().lower() in self.media_types


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRules(Plugin):
    """Rules for pages that are not content, in addition to the collector's own."""

    kind = "verdict rules"
    rules: tuple[Rule, ...]

    def check(self) -> None:
        if not self.rules:
            raise ValueError("there are no rules in it")
        for rule in self.rules:
            if not (rule.regex and rule.also_regex):  # they are compiled here, not with the first page
                raise ValueError(f"rule {rule.name} has no pattern")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRule(Plugin):
    """Lines that change by themselves: *pattern* covers a whole line of HTML, in any case of letters.

    *words*, in lower case: each such line has one of them. Lines that speak of law stay, whatever a rule says.
    """

    kind = "noise rule"
    changes_text = True
    pattern: str
    words: tuple[str, ...]
    only_at_foot: bool = False

    def check(self) -> None:
        pattern = re.compile(self.pattern, re.IGNORECASE)
        if not self.words or any(not word or word != word.lower() for word in self.words):
            raise ValueError("`words` must be words in lower case, at least one")
        if pattern.fullmatch("") is not None:
            raise ValueError("its pattern covers the empty line")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataExtractor(Plugin):
    """Fills fields of a page's metadata: ``extract(text, url)``, the text as received or, of a PDF, its markdown.

    It gives texts by the names of ``METADATA_FIELDS``, dates as YYYY-MM-DD. What a page says of itself stays.
    """

    kind = "metadata extractor"
    extract: Callable[[str, str], Mapping[str, str]]

    def check(self) -> None:
        if not callable(self.extract):
            raise TypeError("`extract` must be a function")


METADATA_FIELDS = ("description", "author", "published_date", "modified_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifier(Plugin):
    """Sends alerts to addresses ``SCHEME://...`` of RORI_ALERT_URLS: ``send(url, title, body)`` raises if it cannot."""

    kind = "notifier"
    scheme: str
    send: Callable[[str, str, str], None]

    def check(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9]{1,19}", self.scheme) or not callable(self.send):
            raise ValueError("a notifier needs `send`, and a scheme of lower-case letters and digits")


@dataclass(frozen=True, slots=True, kw_only=True)
class StagingStore(Plugin):
    """Holds the staging area where RORI_STAGING is ``SCHEME://...``: ``open(uri)`` gives a Store, and asks nothing yet.

    It raises StagingError for an address that is not one of its kind.
    """

    kind = "store"
    scheme: str
    open: Callable[[str], Store]

    def check(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9]{1,19}", self.scheme) or not callable(self.open):
            raise ValueError("a store needs `open`, and a scheme of lower-case letters and digits")
        if self.scheme in {"file", "http", "https", "s3"}:
            raise ValueError(f"the scheme {self.scheme} is taken")


# --- loading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ActivePlugin:
    """A plug-in that takes part. *code*: hex SHA-256 over the Python files of its package."""

    name: str
    package: str
    version: str
    code: str
    plugin: Plugin

    def as_record(self) -> dict[str, str]:
        """What is recorded with a run."""
        return {
            "name": self.name,
            "kind": self.plugin.kind,
            "package": self.package,
            "version": self.version,
            "code": self.code,
        }

    def __str__(self) -> str:
        return f"{self.name} ({self.plugin.kind}, {self.package} {self.version})"


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plug-in that is left out, and why."""

    name: str
    package: str
    why: str

    def __str__(self) -> str:
        return f"{self.name} of {self.package}: {self.why}"


@dataclass(frozen=True, slots=True)
class Plugins:
    """All plug-ins that are installed, by name."""

    active: tuple[ActivePlugin, ...] = ()
    broken: tuple[BrokenPlugin, ...] = ()


P = TypeVar("P", bound=Plugin)


@cache
def load_plugins() -> Plugins:
    """Import and check all that are installed; once a process. Whatever is wrong with one, the others work."""
    active, broken = list[ActivePlugin](), list[BrokenPlugin]()
    for entry in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        package = entry.dist.name if entry.dist is not None else "an unknown package"
        try:
            active.append(_load(entry, package, {one.name for one in active}))
        except Exception as error:  # another's code: whatever it breaks on
            broken.append(BrokenPlugin(entry.name, package, f"{type(error).__name__}: {error}"))
    return Plugins(tuple(active), tuple(broken))


def _load(entry: EntryPoint, package: str, taken: set[str]) -> ActivePlugin:
    if entry.name in taken:
        raise ValueError("another plug-in has this name")
    if not _NAME.fullmatch(entry.name):
        raise ValueError("its name must be lower-case letters, digits, - and _, at most 40")
    plugin = entry.load()
    if not isinstance(plugin, Plugin) or not hasattr(plugin, "kind"):
        raise TypeError(f"{entry.value} is a {type(plugin).__name__}, not an instance of a class of {__name__}")
    if plugin.interface != INTERFACE:
        raise ValueError(f"it is written for interface {plugin.interface}, this program has {INTERFACE}")
    plugin.check()
    version = entry.dist.version if entry.dist is not None else ""
    return ActivePlugin(entry.name, package, version, _hash_code(entry.module), plugin)


def _hash_code(module: str) -> str:
    """Over the names and bytes of the package's Python files: a version need not change with them."""
    spec = sys.modules[module.partition(".")[0]].__spec__
    if spec is None or not (spec.submodule_search_locations or spec.origin):
        return ""
    folders = [Path(one) for one in spec.submodule_search_locations or ()]
    files = [(folder, path) for folder in folders for path in sorted(folder.rglob("*.py"))]
    if not files and spec.origin:
        files = [(Path(spec.origin).parent, Path(spec.origin))]
    whole = sha256()
    for folder, path in files:
        data = path.read_bytes()
        whole.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode() + data)
    return whole.hexdigest()


def active_plugins(kind: type[P]) -> tuple[tuple[ActivePlugin, P], ...]:
    """The active plug-ins of one class, by name."""
    return tuple((one, one.plugin) for one in load_plugins().active if isinstance(one.plugin, kind))


@cache
def text_plugins_hash() -> str:
    """Ten hex digits that stand for all active plug-ins that texts depend on; "" without any."""
    named = [f"{one.name} {one.version} {one.code}" for one in load_plugins().active if one.plugin.changes_text]
    return sha256("\n".join(named).encode()).hexdigest()[:10] if named else ""


def find_converter(
    body: bytes, content_type: str | None, *, is_html: bool
) -> tuple[ActivePlugin, DocumentConverter] | None:
    """The first plug-in that reads such a body."""
    found = active_plugins(DocumentConverter)
    return next((one for one in found if one[1].claims(body, content_type, is_html=is_html)), None)


def extract_metadata(text: str, url: str) -> tuple[list[tuple[str, Mapping[str, str]]], list[str]]:
    """What the extractors find, each with its name; and of those that failed, why."""
    found, problems = list[tuple[str, Mapping[str, str]]](), list[str]()
    for one, extractor in active_plugins(MetadataExtractor):
        try:
            fields = {name: _as_text(name, value) for name, value in extractor.extract(text, url).items() if value}
            found.append((one.name, fields))
        except MemoryError:
            raise
        except Exception as error:  # another's code
            problems.append(f"{one}: {type(error).__name__}: {error}")
    return found, problems


def _as_text(name: str, value: Any) -> str:
    if name not in METADATA_FIELDS or not isinstance(value, str):
        raise TypeError(f"it gave {name!r} as {type(value).__name__}; expected texts: {', '.join(METADATA_FIELDS)}")
    return date.fromisoformat(value).isoformat() if name.endswith("_date") else value
