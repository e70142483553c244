"""Excel workbooks (.xlsx) to markdown: a section a sheet, its cells as a pipe table, values as Excel shows them.

In: the bytes. Out: a `Document` of format ``markdown``. Formulas stand by the values that Excel last computed. What the
file hides (sheets, rows, columns) is left out, and a comment says where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.escape import escaped
from rori_spiders.content.documents.package import Package
from rori_spiders.content.documents.sheets import strings, writing
from rori_spiders.content.documents.sheets.grid import Sheet, TooMany
from rori_spiders.content.documents.sheets.strings import S
from rori_spiders.content.documents.sheets.styles import Styles

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def read(body: bytes, /, *, url: str) -> Document:
    """The text of a workbook. Raises UnreadableDocument as `Package` does, and for one too large or without text."""
    package = Package(body, url, "Excel file")
    main = package.main("xl/workbook.xml")
    workbook = package.xml(main)
    if workbook is None:
        raise package.unreadable(f"is broken: {main} is missing")
    removed: list[str] = []
    links: list[str] = []
    try:
        sections = list(_sections(package, main, workbook, removed, links))
    except TooMany as error:
        raise package.unreadable(str(error)) from error
    except (etree.XMLSyntaxError, ValueError, IndexError) as error:
        raise package.unreadable(f"is broken ({error})") from error
    if not any(section.startswith("#") for section in sections):
        raise package.unreadable("holds no text")
    return Document(
        "\n\n".join(sections) + "\n",
        "markdown",
        title=package.title(),
        language=package.language(),
        metadata={**package.facts(), "kind": "xlsx"},
        links=tuple(dict.fromkeys(links)),
        removed=tuple(dict.fromkeys(removed)),
    )


def _sections(
    package: Package, main: str, workbook: etree._Element, removed: list[str], links: list[str]
) -> Iterator[str]:
    targets = package.targets(main)
    parts = {kind: target for kind, target in targets.values() if target in package.names}
    about = workbook.find(f"{S}workbookPr")
    styles = Styles(package.xml(parts.get("styles", "")), about is not None and about.get("date1904") in ("1", "true"))
    shared = strings.shared(package.bytes(parts["sharedStrings"])) if "sharedStrings" in parts else []
    budget = writing.Budget()
    for each in workbook.iter(f"{S}sheet"):
        kind, target = targets.get(each.get(_ID, ""), ("", ""))
        if kind != "worksheet" or target not in package.names:
            continue  # a chart, or a dialog
        name = each.get("name", "")
        if each.get("state", "visible") != "visible":
            removed.append("hidden_sheets")
            yield f"<!-- hidden sheet: {writing.in_comment(name)} -->"
            continue
        for related, address in package.targets(target).values():
            if related == "hyperlink" and address.startswith(("http://", "https://")):
                links.append(address)
            elif related == "comments":  # notes of colleagues on single cells
                removed.append("comments")
        sheet = Sheet(package.bytes(target), shared, styles, budget)
        if text := writing.section(sheet, removed, budget):
            yield f"## {escaped(' '.join(name.split()))}\n\n{text}"
