"""A document as it is published: front matter, markdown, content hash. Built, formatted, parsed.

Front matter is formatted byte for byte the same each time, as YAML that 1.1 and 1.2 read alike. The content hash
covers title, description and text, so anybody can recompute it from the file (docs/explanation/corpus.md).
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from rori_spiders.content.sections import fence_after
from rori_spiders.corpus.documents.identity import Subtype  # noqa: TC001  # pydantic reads annotations when it runs
from rori_spiders.fields.grounding.plain_text import to_plain_text
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.manifest.json_yaml import NotationError, ParsedObject, read_yaml
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.urls.canonical import normalise_url

if TYPE_CHECKING:
    from rori_spiders.corpus.documents.provenance import Provenance

#: Written without quotes where YAML allows it; all else is quoted, whatever it holds.
_BARE = frozenset({"language", "source_url", "source_subtype", "doc_id"})


class NotADocument(ValueError):
    """Raised for a text that is not a document; ``problems``: a sentence for each problem found."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


def one_line(text: str) -> str:
    """Normalise a title or description for front matter: one line, no control characters, single spaces."""
    spaced = (" " if unicodedata.category(char) == "Cc" else char for char in replace_surrogates(text))
    return " ".join("".join(spaced).split())


def _check_one_line(text: str) -> str:
    if not text or text != one_line(text):
        raise ValueError("expected one line of text, without control characters or repeated spaces")
    return text


def _check_canonical(url: str) -> str:
    if url != normalise_url(url):
        raise ValueError(f"expected the normalised URL, {normalise_url(url)}")
    return url


def _check_day(text: str) -> str:
    if len(text) != len("2026-11-23") or date.fromisoformat(text).isoformat() != text:
        raise ValueError("expected a date, such as 2026-11-23")
    return text


Line = Annotated[str, AfterValidator(_check_one_line)]


class FrontMatter(BaseModel):
    """The metadata of a document, in the order of the file. Unknown values are omitted.

    ``title`` and ``description`` are indexed with the text (by the loader that this form is made for), ``source_url``
    names where it is from.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    title: Line | None = None
    description: Line | None = None
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")] | None = None
    source_url: Annotated[str, AfterValidator(_check_canonical)]
    source_subtype: Subtype
    doc_id: Annotated[str, StringConstraints(pattern=r"^[a-z]+_[0-9a-f]{8,64}_[a-z0-9-]{1,80}$")]
    published_at: Annotated[str, AfterValidator(_check_day)] | None = None
    citation: Line | None = None
    part: Line | None = None
    agency: Line | None = None
    jurisdiction: Line | None = None
    source_type: Line | None = None
    effective_date: Annotated[str, AfterValidator(_check_day)] | None = None
    version_of: Line | None = None
    supersedes: Line | None = None
    breadcrumbs: Line | None = None
    retrieved_at: Line | None = None
    rights: Line | None = None
    run_id: Line
    page_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    content_hash: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] = Field(
        description="Hex SHA-256 of title, line feed, description, two line feeds, text without white space at its ends"
    )


class _Quoted(str):
    """A value that is written in double quotes."""

    __slots__ = ()


class _Writer(yaml.SafeDumper):
    """PyYAML's own writer in Python: what libyaml would write depends on its version."""


_Writer.add_representer(
    _Quoted, lambda writer, text: writer.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
)


def format_front_matter(front: FrontMatter) -> str:
    """*front* with its two lines of ``---``."""
    values = front.model_dump(exclude_none=True)
    shown = {name: value if name in _BARE else _Quoted(value) for name, value in values.items()}
    text = yaml.dump(shown, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=float("inf"))
    return f"---\n{text}---\n"


_WHOLE = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)


def parse_front_matter(text: str) -> tuple[FrontMatter, int]:
    """Parse the front matter of *text*; return it with the body's offset. Raises NotADocument with all problems."""
    whole = _WHOLE.match(text)
    if whole is None:
        raise NotADocument("the file does not begin with front matter between two lines of ---")
    try:
        values = read_yaml(whole[1])
    except NotationError as error:
        raise NotADocument(f"the front matter is {error}") from None
    return _validate_front_matter(values), whole.end()


def _validate_front_matter(values: Any) -> FrontMatter:
    if not isinstance(values, ParsedObject):
        raise NotADocument("the front matter is not a mapping of keys to values")
    twice = [f"{name} is given twice in the front matter" for name in values.repeated]
    try:
        front = FrontMatter.model_validate(dict(values))
    except ValidationError as error:
        wrong = [f"{one['loc'][0] if one['loc'] else 'front matter'}: {one['msg']}" for one in error.errors()]
        raise NotADocument(*twice, *wrong) from None
    if twice:
        raise NotADocument(*twice)
    return front


class Document(NamedTuple):
    """Front matter and text of a page: markdown without empty lines at its ends."""

    front: FrontMatter
    body: str


def content_hash(title: str | None, description: str | None, body: str) -> str:
    """Hex SHA-256 of title, line feed, description, two line feeds, and *body* without white space at its ends.

    What is not known is empty there.
    """
    return sha256(f"{title or ''}\n{description or ''}\n\n{body.strip()}".encode()).hexdigest()


def build_document(
    body: str,
    *,
    title: str | None,
    description: str | None,
    language: str | None,
    source_url: str,
    source_subtype: Subtype,
    doc_id: str,
    run_id: str,
    published_at: str | None = None,
    provenance: Provenance | None = None,
) -> Document:
    """Build the document of a page. *source_url*: its URL as normalised by ``normalise_url``.

    Title and description are folded into a line each; the text is what it was, but for empty lines at its ends. Raises
    pydantic's ValidationError for what cannot be (``published_at`` is a day, ``YYYY-MM-DD``).
    """
    named, summary = one_line(title or "") or None, one_line(description or "") or None
    text = replace_surrogates(body).strip("\n")
    front = FrontMatter(
        title=named,
        description=summary,
        language=language,
        source_url=source_url,
        source_subtype=source_subtype,
        doc_id=doc_id,
        published_at=published_at,
        **{name: one_line(str(value)) or None for name, value in (provenance or {}).items() if value is not None},
        run_id=run_id,
        page_id=page_id_for_url(source_url),
        content_hash=content_hash(named, summary, text),
    )
    return Document(front, text)


def format_document(document: Document) -> str:
    """Format the file: UTF-8, line feeds, the front matter, an empty line, the text, a line feed."""
    return f"{format_front_matter(document.front)}\n{document.body}\n"


def parse_document(text: str) -> Document:
    """Parse *text* into a document. Raises NotADocument with every problem of its front matter."""
    front, at = parse_front_matter(text)
    return Document(front, text[at:].strip("\n"))


# What a document is said to be about: the publisher's own words, or the beginning of its text. Nothing is made up.

#: Search engines show no more of a description than about half of it.
MOST_CHARS = 320
#: "Overview." does not describe a page: the next sentence is added.
_FEW_CHARS = 40
#: Of a paragraph; a page may be one of a megabyte.
_LOOKED_AT = 10 * MOST_CHARS
# Tables, lists, quotes, pictures, code, what a reader does not see.
_NO_PROSE = re.compile(r"\s*(?:[#|>]|[-*+] |\d+[.)] |!\[|<!--|[-=*_]{3,}$|\[[^\]]*\]\([^)]*\)\W*$| {4})")
_END = re.compile(r"[.!?][\"')\]”’]*(?=\s+[\"'“‘(]?[A-Z0-9]|$)")
# "U.S.C. 1024", "No. 5", "Sec. 3", "Inc. v. Smith": their point ends no sentence.
_ABBREVIATED = re.compile(
    r"(?:\b[A-Za-z]|\b\w+\.\w+|\b(?:No|Nos|Sec|Secs|Art|Ch|Pt|Inc|Co|Corp|Ltd|Mr|Mrs|Ms|Dr|Jr|Sr|St|vs?|al|et|Reg|Fed"
    r"|Stat|Pub|Gov|Gen|Dept|Rev|Ed|Vol|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec))$"
)


def describe_page(meta_description: str | None, body: str) -> str | None:
    """Return the page's own description (*meta_description*), else the first sentence of *body*, else None."""
    return one_line(meta_description or "") or first_sentence(body)


def first_sentence(body: str) -> str | None:
    """The first sentence of the first paragraph of *body*, at most ``MOST_CHARS`` long; None for a text without one.

    What is longer ends at a word, with "...".
    """
    text = one_line(to_plain_text(_first_paragraph(body)[:_LOOKED_AT]).text)
    for end in _END.finditer(text):
        if end.end() >= _FEW_CHARS and not (text[end.start()] == "." and _ABBREVIATED.search(text[: end.start()])):
            text = text[: end.end()]
            break
    if len(text) <= MOST_CHARS:
        return text or None
    return text[: MOST_CHARS - 3].rpartition(" ")[0].rstrip(" ,;:") + "..."


def _first_paragraph(body: str) -> str:
    """The first lines in a row that are running text."""
    found: list[str] = []
    fence = ""
    for line in body.split("\n"):
        was, fence = fence, fence_after(line, fence)
        is_prose = bool(line.strip()) and not was and not fence and not _NO_PROSE.match(line)
        if not is_prose and found:
            break
        if is_prose:
            found.append(line)
    return "\n".join(found)
