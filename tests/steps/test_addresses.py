"""No spelling of a non-public address gets past `normalise` and `AddressRules`, unless the operator named it."""

from __future__ import annotations

import ipaddress

import pytest

from rori_spiders.addresses import AddressRules, is_public
from rori_spiders.exceptions import AddressRefused
from rori_spiders.urls import normalise

PRIVATE = [
    # IPv4, block by block
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1", "127.8.8.8"),
    *("169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.254", "192.0.0.1", "192.0.2.1", "192.88.99.1"),
    *("192.168.0.1", "192.168.255.254", "198.18.0.1", "198.19.255.254", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    # what a C library reads as IPv4: fewer parts, decimal, octal, hex, mixed
    *("0", "00", "0x0", "1", "127.1", "127.0.1", "10.1", "169.16689662", "2130706433", "2852039166", "3232235777"),
    *("017700000001", "0177.0.0.1", "0177.1", "00177.0.0.1", "0251.0376.0251.0376", "0300.0250.0.1"),
    *("0x7f000001", "0x7F000001", "0x7f.0.0.1", "0x7f.1", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0xc0.0xa8.0.1"),
    *("127.0.0.0x1", "127.0x0.0.01", "0x7f.0.0.01", "4294967295", "0xffffffff"),
    # trailing dots
    *("127.0.0.1.", "10.0.0.1..", "2130706433.", "localhost.", "a.localhost."),
    # names that never leave the machine
    *("localhost", "LOCALHOST", "LocalHost", "a.localhost", "a.b.localhost"),
    # spellings that IDNA makes plain
    *("①②⑦.⓪.⓪.①", "１２７.0.0.1", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "ⓛocalhost", "ｌｏｃａｌｈｏｓｔ"),
    *("⑩.0.0.1", "１６９.254.169.254", "loc\u00adalhost", "127.0.0.\u00ad1"),
    # IPv6: itself, and block by block
    *("[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[0::]"),
    *("[fe80::1]", "[febf::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%25lo]", "[fec0::1]", "[feff::1]"),
    *("[fc00::1]", "[fd12:3456:789a::1]", "[FD00::1]", "[ff02::1]", "[ff05::2]", "[ff0e::1]", "[100::1]"),
    *("[2001:db8::1]", "[3fff::1]", "[3fff:fff::1]", "[5f00::1]", "[4000::1]", "[8000::1]", "[2001:2::1]"),
    *("[2001:10::1]", "[1::1]"),
    # IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo, NAT64
    *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:10.0.0.1]", "[0:0:0:0:0:ffff:192.168.0.1]"),
    *("[::ffff:169.254.169.254]", "[::ffff:0.0.0.0]", "[::127.0.0.1]", "[::7f00:1]", "[::10.0.0.1]", "[::8.8.8.8]"),
    *("[::ffff:0:127.0.0.1]", "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2002:a00:1::]", "[2002:c0a8:1::1]"),
    *("[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2001::5ef5:79fd:0:0:f5ff:fffe]", "[2001:0:7f00:1::]"),
    *("[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b::a9fe:a9fe]"),
    *("[64:ff9b:1::127.0.0.1]", "[64:ff9b:1:ffff::8.8.8.8]"),
]
USERINFO = [
    "http://user:password@127.0.0.1/",
    "http://www.hud.gov@127.0.0.1/",
    "http://www.hud.gov:80@10.0.0.1/",
    "http://www.hud.gov%2f@169.254.169.254/",
    "http://a@b@127.0.0.1/",
    "http://127.0.0.1\\@www.hud.gov/",
    "http://lo\tcalhost/",
    "\thttp://127.0.0.1/",
    "http://127.0.0.1#@www.hud.gov/",
    "http://127.0.0.1?@www.hud.gov/",
]


def refused(url: str, allowed: tuple[str, ...] = ()) -> bool:
    """Whether *url* is stopped before a name is resolved."""
    try:
        AddressRules(allowed).check_url(normalise(url), 80)
    except (AddressRefused, ValueError):
        return True
    return False


def test_there_are_many_spellings() -> None:
    assert len({*PRIVATE, *USERINFO}) >= 120


@pytest.mark.parametrize("host", PRIVATE)
def test_what_is_not_public_is_refused(host: str) -> None:
    assert refused(f"http://{host}/")
    assert refused(f"https://user:password@{host}:8080/latest/meta-data")


@pytest.mark.parametrize("host", PRIVATE)
def test_it_is_refused_as_a_redirect_has_it_too(host: str) -> None:
    """A redirect's target is judged before anything is normalised but what Scrapy itself escapes."""
    if not host.isascii():
        return  # Scrapy encodes these before we see them
    with pytest.raises(AddressRefused):
        AddressRules().check_url(f"http://{host}/", 80)


@pytest.mark.parametrize("url", USERINFO)
def test_what_stands_before_the_host_hides_nothing(url: str) -> None:
    assert refused(url)


@pytest.mark.parametrize(
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
def test_what_is_public_or_a_name_passes(url: str) -> None:
    assert not refused(url)


@pytest.mark.parametrize(
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
def test_exceptions_of_the_operator(allowed: tuple[str, ...], url: str, port: int, passes: bool) -> None:
    rules = AddressRules(allowed)
    if passes:
        rules.check_url(url, port)
    else:
        with pytest.raises(AddressRefused):
            rules.check_url(url, port)


@pytest.mark.parametrize("entry", ["127.0.0.1:http", "intranet:", "10.0.0.0/99", "a/b"])
def test_an_exception_that_cannot_be_read_is_an_error(entry: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AddressRules([entry])


def test_a_name_is_judged_by_what_it_resolves_to() -> None:
    rules = AddressRules(["intranet.example.gov:8080"])
    rules.check("93.184.216.34", "www.example.gov")
    rules.check("10.0.0.1", "intranet.example.gov")
    rules.check("10.0.0.1", "INTRANET.example.gov.", 8080)
    for host, port in (("www.example.gov", None), ("intranet.example.gov", 443)):
        with pytest.raises(AddressRefused):
            rules.check("10.0.0.1", host, port)


def test_the_refusal_says_how_to_allow_it() -> None:
    with pytest.raises(AddressRefused, match=r"intranet \(10\.0\.0\.1\) is not a public .* as intranet:8080"):
        AddressRules().check("10.0.0.1", "intranet", 8080)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", "2620:0:860::1"])
def test_public_addresses(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))
