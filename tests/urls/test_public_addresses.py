"""No spelling of a non-public address gets past `normalise` and `AddressRules`, unless the operator named it."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

import pytest

from rori_spiders.exceptions import AddressRefused
from rori_spiders.urls.canonical import normalise_url
from rori_spiders.urls.public_addresses import AddressRules, is_public_address
from tests.support.cases import cases
from tests.urls.private import PRIVATE, USERINFO


def refused(url: str, allowed: tuple[str, ...] = ()) -> bool:
    """Whether *url* is stopped before a name is resolved."""
    try:
        AddressRules(allowed).check_url(normalise_url(url), 80)
    except (AddressRefused, ValueError):
        return True
    return False


def test_address_spellings_are_numerous() -> None:
    assert len({*PRIVATE, *USERINFO}) >= 120


def test_address_not_public_is_refused() -> None:
    for host in PRIVATE:
        assert refused(f"http://{host}/"), host
        assert refused(f"https://user:password@{host}:8080/latest/meta-data"), host


def test_address_not_public_is_refused_in_redirect() -> None:
    """A redirect's target is judged before anything is normalised but what Scrapy itself escapes."""
    accepted = []
    for host in filter(str.isascii, PRIVATE):  # Scrapy encodes the others before we see them
        with suppress(AddressRefused):
            AddressRules().check_url(f"http://{host}/", 80)
            accepted.append(host)
    assert accepted == []


@cases("url", USERINFO)
def test_address_userinfo_hides_nothing(url: str) -> None:
    assert refused(url)


@cases(
    "url",
    [
        "https://www.hud.gov/",
        "http://8.8.8.8/",
        "http://134744072/",
        "http://[2606:4700:4700::1111]/",
        "http://[2001:4860:4860::8888]/",
        "http://[64:ff9b::8.8.8.8]/",
        "http://localhost.gov/",
        "http://0x.gov/",
        "http://10.gov/",
        "http://127.0.0.1.example.org/",
        "http://1e100.net/",
        "http://face.cafe/",
    ],
)
def test_address_public_or_name_passes(url: str) -> None:
    assert not refused(url)


@cases(
    ("allowed", "url", "port", "passes"),
    [
        (("127.0.0.1:8799",), "http://127.0.0.1:8799/", 8799, True),
        (("127.0.0.1:8799",), "http://127.0.0.1/", 80, False),
        (("127.0.0.1:8799",), "http://127.0.0.2:8799/", 8799, False),
        (("127.0.0.1",), "http://127.0.0.1:9/", 9, True),
        (("127.0.0.0/8",), "http://127.3.2.1:9/", 9, True),
        (("127.0.0.0/8",), "http://127.1:9/", 9, True),
        (("127.0.0.0/8",), "http://10.0.0.1/", 80, False),
        (("::1",), "http://[::1]:9/", 9, True),
        (("[::1]:9",), "http://[::1]:9/", 9, True),
        (("[::1]:9",), "http://[::1]:8/", 8, False),
        (("fd00::/8",), "http://[fd12::1]/", 80, True),
        (("localhost:80",), "http://LOCALHOST/", 80, True),
        (("LocalHost",), "http://localhost./", 80, True),
        (("",), "http://127.0.0.1/", 80, False),
        ((" 10.0.0.0/8 ", "127.0.0.1:80"), "http://10.1.2.3/", 80, True),
        (("10.0.0.7/8",), "http://10.1.2.3/", 80, True),
    ],
)
def test_address_exceptions_of_operator(allowed: tuple[str, ...], url: str, port: int, passes: bool) -> None:
    rules = AddressRules(allowed)
    if passes:
        rules.check_url(url, port)
    else:
        with pytest.raises(AddressRefused):
            rules.check_url(url, port)


@pytest.mark.parametrize("entry", ["127.0.0.1:http", "intranet:", "10.0.0.0/99", "a/b"])
def test_address_invalid_exception_is_an_error(entry: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AddressRules([entry])


def test_address_name_is_judged_by_resolution() -> None:
    rules = AddressRules(["intranet.example.gov:8080"])
    rules.check("93.184.216.34", "www.example.gov")
    rules.check("10.0.0.1", "intranet.example.gov")
    rules.check("10.0.0.1", "INTRANET.example.gov.", 8080)
    for host, port in (("www.example.gov", None), ("intranet.example.gov", 443)):
        with pytest.raises(AddressRefused):
            rules.check("10.0.0.1", host, port)


def test_address_refusal_names_setting() -> None:
    with pytest.raises(AddressRefused, match=r"intranet \(10\.0\.0\.1\) is not a public .* add intranet:8080 to "):
        AddressRules().check("10.0.0.1", "intranet", 8080)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", "2620:0:860::1"])
def test_address_public_examples(address: str) -> None:
    assert is_public_address(ipaddress.ip_address(address))
