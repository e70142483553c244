"""Parse XML safely: no DTD, no entities, no fetching, bounded size and depth."""

from collections.abc import Mapping
from typing import Any

from lxml import etree

from rori_spiders.exceptions import UnreadableDocument

# The collector's own cap on decoded downloads (RORI_MAX_BYTES); an eCFR title (16 MB for title 12) is well within it.
MAX_BYTES = 33_554_432
# RegML, the deepest of the vocabularies, has 19 levels.
MAX_DEPTH = 150
#: For lxml's parsers, `iterparse` too.
HARDENED: Mapping[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}


def parse(body: bytes, *, url: str) -> etree._Element:
    """The root of an XML document.

    Raises UnreadableDocument for what is not well formed, too large, too deep, or declares entities.

    libxml2's own guard against deep nesting (256) stays off, for real statutes pass its text limit of 10 MB; the size
    bound and the refusal of entities take its place.
    """
    if len(body) > MAX_BYTES:
        raise UnreadableDocument(f"{url}: {len(body):,} bytes of XML; at most {MAX_BYTES:,} are read")
    parser = etree.XMLParser(**HARDENED)
    try:
        root = etree.fromstring(body.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableDocument(f"{url}: the XML is not well formed: {error}") from error
    dtd: Any = root.getroottree().docinfo.internalDTD  # the stubs do not know what it holds
    # Entities are how a kilobyte becomes a gigabyte, or reads a file: no legal publisher's document needs its own. The
    # parser has left them alone; what stood in their place would be missing from the text.
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise UnreadableDocument(f"{url}: the XML declares entities; such files are not read")
    if _depth(root) > MAX_DEPTH:
        raise UnreadableDocument(f"{url}: the XML is nested more than {MAX_DEPTH} levels deep")
    return root


def _depth(root: etree._Element) -> int:
    """Levels of nesting, counted only as far as matters."""
    depth = deepest = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            break
    return deepest
