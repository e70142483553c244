"""What stands above a document's text: the model, and its form between two lines of ``---``.

Written byte for byte the same each time, as YAML that 1.1 and 1.2 read alike: what either could take for a number, a
date or a truth value is quoted. Each value is one line, so that readers that go line by line see all of it.
"""

import re
import unicodedata
from datetime import date
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from rori_spiders.content.writable import clean
from rori_spiders.corpus.documents.subtypes import Subtype
from rori_spiders.manifest.json_yaml import NotationError, ParsedObject, read_yaml
from rori_spiders.urls.canonical import normalise_url

#: Written without quotes where YAML allows it; all else is quoted, whatever it holds.
_BARE = frozenset({"language", "source_url", "source_subtype", "doc_id"})


class NotADocument(ValueError):
    """Raised for a text that is no document; ``problems`` are sentences for people, all that were found."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


def one_line(text: str) -> str:
    """*text* as a title or a description stands in front matter: one line, no control characters, blanks folded."""
    return " ".join("".join(" " if unicodedata.category(char) == "Cc" else char for char in clean(text)).split())


def _is_line(text: str) -> str:
    if not text or text != one_line(text):
        raise ValueError("expected one line of text without control characters, blanks folded")
    return text


def _is_canonical(url: str) -> str:
    if url != normalise_url(url):
        raise ValueError(f"expected the URL in its one spelling, {normalise_url(url)}")
    return url


def _is_day(text: str) -> str:
    if len(text) != len("2026-11-23") or date.fromisoformat(text).isoformat() != text:
        raise ValueError("expected a day, such as 2026-11-23")
    return text


Line = Annotated[str, AfterValidator(_is_line)]


class FrontMatter(BaseModel):
    """What is said of a document, in the order in which it is written. What is not known is left out.

    ``title`` and ``description`` are indexed with the text (by the loader that this form is made for), ``source_url``
    names where it is from.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    title: Line | None = None
    description: Line | None = None
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")] | None = None
    source_url: Annotated[str, AfterValidator(_is_canonical)]
    source_subtype: Subtype
    doc_id: Annotated[str, StringConstraints(pattern=r"^[a-z]+_[0-9a-f]{8,64}_[a-z0-9-]{1,80}$")]
    published_at: Annotated[str, AfterValidator(_is_day)] | None = None
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


def written(front: FrontMatter) -> str:
    """*front* with its two lines of ``---``."""
    values = front.model_dump(exclude_none=True)
    shown = {name: value if name in _BARE else _Quoted(value) for name, value in values.items()}
    text = yaml.dump(shown, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=float("inf"))
    return f"---\n{text}---\n"


_WHOLE = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)


def read(text: str) -> tuple[FrontMatter, int]:
    """The front matter of *text*, and where what follows it begins. Raises NotADocument with every problem."""
    whole = _WHOLE.match(text)
    if whole is None:
        raise NotADocument("it does not begin with front matter between two lines of ---")
    try:
        values = read_yaml(whole[1])
    except NotationError as error:
        raise NotADocument(f"its front matter is {error}") from None
    return _validated(values), whole.end()


def _validated(values: Any) -> FrontMatter:
    if not isinstance(values, ParsedObject):
        raise NotADocument("its front matter is not a list of names with values")
    twice = [f"{name} stands twice in its front matter" for name in values.repeated]
    try:
        front = FrontMatter.model_validate(dict(values))
    except ValidationError as error:
        wrong = [f"{one['loc'][0] if one['loc'] else 'front matter'}: {one['msg']}" for one in error.errors()]
        raise NotADocument(*twice, *wrong) from None
    if twice:
        raise NotADocument(*twice)
    return front
