"""Which headers a URL of a source gets, and what may not stand in the file."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.headers import find_withheld_headers, headers_for, register_header_secrets
from rori_spiders.runtime.redaction import MASK, Redactor
from tests.manifest.examples import load, source
from tests.support.cases import cases

SECRET = "canary-header-77"
ENVIRONMENT = {
    "RORI_HEADER_PASS": f" {SECRET}\n",
    "RORI_HEADER_PASS_HOSTS": "api.example.gov, www.HUD.gov",
    "RORI_HEADER_EMPTY": "",
}
GIVEN = {
    "Accept": "text/html",
    "X-Agency-Pass": {"env": "RORI_HEADER_PASS"},
    "X-None": {"env": "RORI_HEADER_EMPTY"},
    "X-Unset": {"env": "RORI_HEADER_NO"},
}
WITH_SECRET = {"Accept": "text/html", "X-Agency-Pass": SECRET}
WITHOUT = {"Accept": "text/html"}


@cases(
    ("own", "url", "headers"),
    [
        ("https://www.hud.gov/fha", "https://www.hud.gov/other", WITH_SECRET),
        ("https://www.hud.gov/fha", "http://www.hud.gov/other", WITHOUT),
        ("http://www.hud.gov/fha", "https://www.hud.gov/other", WITH_SECRET),
        ("https://www.hud.gov/fha", "https://www.hud.gov:8443/other", WITHOUT),
        ("https://www.hud.gov:8443/fha", "https://www.hud.gov:8443/other", WITH_SECRET),
        ("https://www.hud.gov/fha", "https://hud.gov/other", {}),
    ],
)
def test_headers_secret_goes_to_source_server_only(own: str, url: str, headers: dict[str, str]) -> None:
    [one] = load(source(url=own, domain="hud.gov", scrape_config={"custom_headers": GIVEN})).manifest.sources
    assert headers_for(one, url, ENVIRONMENT) == headers


@cases("hosts", ["", "hud.gov", "api.hud.gov", "www.hud.gov.evil.example", "*", "*.hud.gov"])
def test_headers_secret_goes_to_named_hosts_only(hosts: str) -> None:
    """An operator of the monitor could activate a source on a server of his own, with our header."""
    one = source(url="https://www.hud.gov/fha", domain="hud.gov", scrape_config={"custom_headers": GIVEN})
    sources = load(one).manifest.sources
    environment = {**ENVIRONMENT, "RORI_HEADER_PASS_HOSTS": hosts}
    assert headers_for(sources[0], "https://www.hud.gov/fha", environment) == WITHOUT
    [withheld] = find_withheld_headers(sources, environment)
    assert withheld[1:] == ("X-Agency-Pass", "RORI_HEADER_PASS_HOSTS", "www.hud.gov")
    assert not list(find_withheld_headers(sources, ENVIRONMENT))


def test_headers_from_environment_are_secret() -> None:
    redactor = Redactor()
    register_header_secrets(
        load(source(scrape_config={"custom_headers": GIVEN})).manifest.sources, redactor, ENVIRONMENT
    )
    assert redactor.text(f"sent {SECRET}") == f"sent {MASK}"
    assert redactor.headers({"X-Unset": ["now"], "Accept": ["text/html"]})["Accept"] == ["text/html"]


@cases("name", ["X-Api-Key", "X-Auth-Token", "X-Agency-Pass", "Api-Key", "X-Secret", "Cookie"])
def test_headers_secret_in_file_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(ManifestError, match="may not be written in a manifest") as refused:
        load(source(scrape_config={"custom_headers": {name: SECRET}}))
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [f"https://rori:{SECRET}@www.hud.gov/", f"https://www.hud.gov/?api_key={SECRET}", f"https://{SECRET}@hud.gov"],
)
def test_headers_url_with_credentials_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ManifestError, match="a URL may not carry") as refused:
        load(source(url=url))
    assert SECRET not in str(refused.value)


@cases(
    "name",
    [
        "RORI_DATABASE_URL",
        "AWS_SECRET_ACCESS_KEY",
        "PATH",
        "RORI_HEADER_",
        "rori_header_x",
        "XRORI_HEADER_A",
        "RORI_HEADER_A\n",
    ],
)
def test_header_from_another_environment_variable_is_refused(name: str) -> None:
    """An operator of the monitor could have the server send any variable to a host of his choice."""
    with pytest.raises(ManifestError, match="only environment variables whose names begin with RORI_HEADER_"):
        load(source(scrape_config={"custom_headers": {"X": {"env": name}}}))


@pytest.mark.parametrize(
    "name",
    [
        *("Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Expect", "Keep-Alive"),
        *("If-None-Match", "if-modified-since", "Range", "If-Range", "X-Forwarded-For", "FORWARDED", "X-Real-IP"),
    ],
)
@pytest.mark.parametrize("value", ["30", {"env": "RORI_HEADER_X"}], ids=["text", "env"])
def test_header_of_the_connection_or_the_collector_is_refused(name: str, value: object) -> None:
    """A `Content-Length` would make the server take our next request for a body; a `Range` would forge the record."""
    with pytest.raises(ManifestError, match="a manifest cannot set"):
        load(source(scrape_config={"custom_headers": {name: value}}))


@cases("end", ["\n", "\r", "\x85", "\u2028", "\u2029"])
def test_manifest_name_of_two_lines_is_refused(end: str) -> None:
    with pytest.raises(ManifestError, match="expected one line"):
        load(source(name=f"Rules{end}# Another heading"))
