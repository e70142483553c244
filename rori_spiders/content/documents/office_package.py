"""Office files as packages (ECMA-376 part 2): a ZIP of XML parts, opened within bounds, recognised by what is in it."""

import io
import posixpath
import struct
import zipfile
import zlib

from lxml import etree

from rori_spiders.content.documents.xml import parser
from rori_spiders.exceptions import UnreadableDocument

#: Bytes of all XML parts, unpacked: as much as the collector takes of any page (RORI_MAX_BYTES). What reading them may
#: cost is bounded where they are read.
MAX_UNPACKED = 33_554_432
_XML = (".xml", ".rels", ".vml")
# Transitional OOXML, which all programs write, and its ISO counterpart.
_STRICT = (b"http://purl.oclc.org/ooxml/", b"http://schemas.openxmlformats.org/")
_STRICT_PLACES = (
    (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
    (b"spreadsheetml/main", b"spreadsheetml/2006/main"),
    (b"presentationml/main", b"presentationml/2006/main"),
    (b"drawingml/main", b"drawingml/2006/main"),
    (b"drawingml/chart", b"drawingml/2006/chart"),
    (b"drawingml/diagram", b"drawingml/2006/diagram"),
    (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
    (b"officeDocument/math", b"officeDocument/2006/math"),
)
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DUBLIN = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_FACTS = {
    "author": f"{_DUBLIN}creator",
    "description": f"{_DUBLIN}subject",
    "keywords": f"{_CORE}keywords",
    "published_date": f"{_TERMS}created",
    "modified_date": f"{_TERMS}modified",
}
_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_MOST_ENTRIES = 20_000


def directory(body: bytes) -> dict[str, int]:
    """Name and unpacked size of each part, from a ZIP's directory, without opening it. Never raises.

    Empty if it is not a ZIP, or was cut off.
    """
    at = body.rfind(b"PK\x05\x06", max(0, len(body) - 66_000))
    if at < 0 or len(body) < at + _END.size:
        return {}
    size, offset = _END.unpack_from(body, at)[5:7]
    place = offset if body[offset : offset + 4] == b"PK\x01\x02" else max(0, at - size)  # something was put before it
    parts: dict[str, int] = {}
    while len(parts) < _MOST_ENTRIES and body[place : place + 4] == b"PK\x01\x02" and place + _ENTRY.size <= at:
        *_, unpacked, name, extra, comment, _, _, _, _ = _ENTRY.unpack_from(body, place)
        start = place + _ENTRY.size
        parts[body[start : start + name].decode("utf-8", "replace")] = unpacked
        place = start + name + extra + comment
    return parts


def unpacked_bytes(body: bytes) -> int:
    """What the XML of an Office file comes to; 0 for any other body. It is what reading the file costs."""
    if not body.startswith(b"PK\x03\x04"):
        return 0
    return sum(size for name, size in directory(body).items() if name.lower().endswith(_XML))


class Package:
    """An opened package. Raises UnreadableDocument for one that is broken, encrypted, too large, or holds macros."""

    def __init__(self, body: bytes, url: str, name: str) -> None:
        self._url = url
        self._name = name  # what its reader calls it: "Word file"
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise self.unreadable(f"is broken or was cut off ({error})") from error
        entries = self._zip.infolist()
        self.names = {entry.filename for entry in entries}
        if any(entry.flag_bits & 1 for entry in entries):
            raise self.unreadable("is encrypted and needs a password")
        if any(name.lower().endswith("vbaproject.bin") for name in self.names):
            raise self.unreadable("holds macros (vbaProject.bin); such files are not read")
        unpacked = sum(entry.file_size for entry in entries if entry.filename.lower().endswith(_XML))
        if unpacked > MAX_UNPACKED:
            raise self.unreadable(f"unpacks to {unpacked:,} bytes of XML; at most {MAX_UNPACKED:,} are read")

    def unreadable(self, what: str) -> UnreadableDocument:
        return UnreadableDocument(f"{self._url}: the {self._name} {what}")

    def bytes(self, name: str) -> bytes:
        """A part's bytes: never more than its directory says, for that is what was added up."""
        try:
            content = self._zip.read(name)
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            EOFError,
            OSError,
            ValueError,
            RuntimeError,
        ) as error:
            raise self.unreadable(f"is broken: {name} cannot be unpacked ({error})") from error
        if _STRICT[0] in content:
            for strict, transitional in _STRICT_PLACES:
                content = content.replace(_STRICT[0] + strict, _STRICT[1] + transitional)
        return content

    def size(self, name: str) -> int:
        """The bytes of a part that is there, unpacked, as its directory says."""
        return self._zip.getinfo(name).file_size

    def xml(self, name: str) -> etree._Element | None:
        """The root of a part, read by the hardened parser; None when the package has no such part."""
        if name not in self.names:
            return None
        return parser.parse(self.bytes(name), url=f"{self._url} ({name})")

    def required_xml(self, name: str) -> etree._Element:
        """The same of a part without which there is no file. Raises UnreadableDocument."""
        root = self.xml(name)
        if root is None:
            raise self.unreadable(f"is broken: {name} is missing")
        return root

    def targets(self, name: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part ("" for the package): id -> (last word of its type, target)."""
        folder, file = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{file}.rels"))
        found = {}
        for each in root if root is not None else ():
            target = each.get("Target", "")
            if each.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[each.get("Id", "")] = (each.get("Type", "").rpartition("/")[2], target)
        return found

    def main(self, otherwise: str) -> str:
        """The name of the part that the package is there for."""
        mains = [target for kind, target in self.targets("").values() if kind == "officeDocument"]
        return next((target for target in mains if target in self.names), otherwise)

    def title(self) -> str | None:
        """The declared title, unless it is the file name that a word processor left there."""
        title = self._fact(f"{_DUBLIN}title")
        is_file = title.lower().endswith((".doc", ".docx", ".dot", ".dotx", ".xls", ".xlsx", ".ppt", ".pptx"))
        return title if title and not is_file else None

    def language(self) -> str | None:
        return self._fact(f"{_DUBLIN}language") or None

    def facts(self) -> dict[str, str]:
        """What the file says of itself, by the names of `Document.metadata`."""
        return {name: value for name, tag in _FACTS.items() if (value := self._fact(tag))}

    def _fact(self, tag: str) -> str:
        parts = [target for kind, target in self.targets("").values() if kind == "core-properties"]
        root = self.xml(parts[0]) if parts else None
        return " ".join((root.findtext(tag) or "").split()) if root is not None else ""
