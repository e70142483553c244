"""Word files made by hand: the fewest parts that Word accepts, so that a test says what is in them."""

from __future__ import annotations

import io
import zipfile

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_NAMES = (
    f'xmlns:w="{_WORD}" xmlns:r="{_OFFICE}/relationships" xmlns:m="{_OFFICE}/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_KINDS = ("styles", "numbering", "footnotes", "endnotes", "comments", "header", "footer")


def run(text: str, about: str = "") -> str:
    return f'<w:r><w:rPr>{about}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*runs: str, style: str = "", about: str = "") -> str:
    """A paragraph; a part that is no markup becomes a run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    inner = "".join(part if part.startswith("<") else run(part) for part in runs)
    return f"<w:p><w:pPr>{named}{about}</w:pPr>{inner}</w:p>"


def item(text: str, level: int = 0, number: int = 1) -> str:
    """A paragraph of a list."""
    return p(text, about=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def numbering(*levels: tuple[str, str], overrides: str = "") -> str:
    """One list, each level by its form and text; ``overrides`` adds further ``w:num``."""
    written = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="0">{written}</w:abstractNum>'
        f'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>{overrides}'
    )


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def row(*cells: str, about: str = "") -> str:
    return f"<w:tr><w:trPr>{about}</w:trPr>{''.join(cells)}</w:tr>"


def cell(text: str, about: str = "") -> str:
    return f"<w:tc><w:tcPr>{about}</w:tcPr>{p(text)}</w:tc>"


def docx(
    body: str,
    *,
    links: dict[str, str] | None = None,
    core: str = "",
    files: dict[str, bytes] | None = None,
    **parts: str,
) -> bytes:
    """A Word file. ``parts`` by their kind (``styles``, ``numbering``, ``footnotes`` ...), ``links`` by their ids."""
    related = "".join(
        f'<Relationship Id="p{kind}" Type="{_OFFICE}/relationships/{kind}" Target="{kind}.xml"/>' for kind in parts
    ) + "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/relationships/hyperlink" Target="{target}" TargetMode="External"/>'
        for name, target in (links or {}).items()
    )
    roots = {kind: {"header": "hdr", "footer": "ftr"}.get(kind, kind) for kind in _KINDS}
    content = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
        f'ContentType="application/xml"/><Default Extension="rels" ContentType="{_PACKAGE}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="d" Type="{_OFFICE}/relationships/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="c" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
        "</Relationships>",
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        f"{core}</cp:coreProperties>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{related}</Relationships>',
        "word/document.xml": f"<w:document {_NAMES}><w:body>{body}</w:body></w:document>",
        **{f"word/{kind}.xml": f"<w:{roots[kind]} {_NAMES}>{part}</w:{roots[kind]}>" for kind, part in parts.items()},
    }
    return zipped({**{name: text.encode() for name, text in content.items()}, **(files or {})})


def zipped(files: dict[str, bytes]) -> bytes:
    """A ZIP of these files, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
