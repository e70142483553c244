"""The headers that a source's requests carry: `custom_headers`, those from the environment as secrets.

In: a source and a URL. Out: the headers for it. A secret goes to the source's own server only, and only when the
environment names that server for it: else anyone who may edit a manifest could have it sent to a server of their own.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from rori_spiders.manifest.models import Source
from rori_spiders.runtime.redaction import Redactor
from rori_spiders.urls.canonical import host_of, normalise_url, origin_of

#: After the name of a header's variable: that of the one which names the hosts it may be sent to.
_HOSTS = "_HOSTS"


class WithheldHeader(NamedTuple):
    """A header that is not sent: *variable* does not name *host*."""

    source_id: str
    header: str
    variable: str
    host: str


def headers_for(source: Source, url: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The `custom_headers` for *url*: to the source's host, and what is secret to its scheme and port as well.

    A variable that is not set, or empty, sends no header; nor does one whose hosts (``_HOSTS``) lack the source's.
    """
    if not source.scrape_config.custom_headers:
        return {}
    own = normalise_url(source.url)
    if host_of(url) != host_of(own):
        return {}
    headers = {}
    for name, value in source.scrape_config.custom_headers.items():
        if isinstance(value, str):
            headers[name] = value
        elif _is_same_server(url, own) and _is_host_named(source, value.env, environment):
            headers[name] = environment.get(value.env, "").strip()
    return {name: value for name, value in headers.items() if value}


def _is_host_named(source: Source, variable: str, environment: Mapping[str, str]) -> bool:
    hosts = environment.get(f"{variable}{_HOSTS}", "").replace(",", " ").split()
    return source.host in {host.lower() for host in hosts}


def find_withheld_headers(
    sources: Iterable[Source], environment: Mapping[str, str] = os.environ
) -> Iterator[WithheldHeader]:
    """The headers whose variable is set, and which are not sent because it does not name the source's host."""
    for source in sources:
        for name, value in source.scrape_config.custom_headers.items():
            if isinstance(value, str) or not environment.get(value.env, "").strip():
                continue
            if not _is_host_named(source, value.env, environment):
                yield WithheldHeader(source.id, name, f"{value.env}{_HOSTS}", source.host)


def _is_same_server(url: str, own: str) -> bool:
    """Another port is another server, and http would send in clear what https hides; the other way loses nothing."""
    parts = urlsplit(url)
    is_upgrade = parts.scheme == "https" and parts.port is None and urlsplit(own).port is None
    return origin_of(url) == origin_of(own) or is_upgrade


def register_header_secrets(
    sources: Iterable[Source], redactor: Redactor, environment: Mapping[str, str] = os.environ
) -> None:
    """Tell *redactor* what the headers of *sources* take from the environment: who keeps it there keeps it a secret."""
    for source in sources:
        for name, value in source.scrape_config.custom_headers.items():
            if not isinstance(value, str):
                redactor.learn_header(name, environment.get(value.env, ""))


def header_variables(sources: Iterable[Source]) -> set[str]:
    """The environment variables that the headers of *sources* are taken from, and those that name their hosts."""
    values = (value for source in sources for value in source.scrape_config.custom_headers.values())
    named = {value.env for value in values if not isinstance(value, str)}
    return named | {f"{name}{_HOSTS}" for name in named}
