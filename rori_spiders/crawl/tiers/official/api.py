"""The interface of a publisher's documented API for the `official` tier: its pages, and how to request them.

A page may take several requests. Each is one `ApiRequest`; what an answer says before the page itself comes is `known`.
Steps: addresses and bytes in, addresses and bytes out; nothing here asks anybody.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from rori_spiders.items import ApiMetadata

XML = "application/xml"
JSON = "application/json"


class PageNotFound(Exception):
    """Raised when the API says that the page named by a URL does not exist."""


class NoFullText(Exception):
    """Raised when the API has a page, but not its text."""


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One request to an API."""

    step: str
    url: str
    accept: str = JSON
    shared: bool = False  # what it says serves many pages: asked once a job
    needed: bool = True  # False: the page is one without it, too
    names_page: bool = False  # its 404 says that the page is not there
    last: bool = False  # its answer is the page


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A page: its body as received, or made of what was received (`raw`)."""

    body: bytes
    content_type: str | None
    api_metadata: ApiMetadata = field(default_factory=ApiMetadata)
    raw: bytes | None = None


class OfficialApi(Protocol):
    """One publisher. ``api``: the base address of its API, which a setting may put elsewhere."""

    name: str
    hosts: frozenset[str]
    documentation: str  # where its publisher says that programs may ask
    setting: str  # that holds the base address of its API

    def serves(self, url: str) -> bool:
        """Whether its API has what the page at *url* shows; *url* is of one of its hosts."""

    def ask(self, url: str, api: str, known: Mapping[str, str]) -> ApiRequest:
        """The next request for the page. Raises PageNotFound, NoFullText."""

    def learn(self, ask: ApiRequest, answer: bytes | None) -> dict[str, str]:
        """What an answer says before the page comes; None: one that is not needed failed. Raises ValueError."""

    def page(self, url: str, answer: bytes, content_type: str | None, known: Mapping[str, str]) -> ApiPage:
        """The page. Raises ValueError for what is not the one asked for, and PageNotFound."""

    def restored(self, url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
        """Body and content type of the page from the bytes received, again. Raises ValueError."""


_shared: WeakKeyDictionary[object, dict[str, dict[str, str]]] = WeakKeyDictionary()


def shared_answers(job: object) -> dict[str, dict[str, str]]:
    """By publisher, what serves all of its pages and lists, as *job* has learnt it."""
    return _shared.setdefault(job, {})


def parse_json_object(answer: bytes) -> dict[str, Any]:
    """A JSON object. Raises ValueError for anything else, and for an object that states an error."""
    try:
        read = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ValueError("the API's response is not JSON") from error
    if not isinstance(read, dict):
        raise ValueError("the API's response is not a JSON object")  # noqa: TRY004  (it is a value of the server)
    error_object = read.get("error") or read.get("errors")
    if error_object:
        raise ValueError(f"the API reported: {str(error_object)[:200]}")
    return read


def json_objects(value: object) -> list[dict[str, Any]]:
    """The objects in a JSON list; none if it is not a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
