"""The publishers of the `official` tier, by the hosts of their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.publishers.ecfr import Ecfr
from rori_spiders.publishers.federalregister import FederalRegister
from rori_spiders.urls import host_of

if TYPE_CHECKING:
    from rori_spiders.publishers.publisher import Publisher

PUBLISHERS: tuple[Publisher, ...] = (Ecfr(), FederalRegister())


def publisher_of(url: str) -> Publisher | None:
    """Whose API has what the page at *url* shows; None: nobody's."""
    host = host_of(url)
    return next((one for one in PUBLISHERS if host in one.hosts and one.serves(url)), None)


def serves(url: str) -> bool:
    """Whether the `official` tier can fetch *url*. Nothing is asked."""
    return publisher_of(url) is not None


def permitted_by_documentation(url: str) -> str | None:
    """Where the publisher says that programs may ask its API for what *url* shows; None: nowhere.

    It speaks of the API alone: the page itself, and all else of its host, stays for robots.txt to judge.
    """
    publisher = publisher_of(url)
    return None if publisher is None else publisher.documentation


def restored(url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
    """Body and content type of the page at *url* from the bytes that its API gave. Raises ValueError."""
    publisher = publisher_of(url)
    return (received, content_type) if publisher is None else publisher.restored(url, received, content_type)
