"""Names of envelopes: whatever a URL holds, the path is safe, short, and the same page's name is found again."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from rori_spiders.envelope import FileOwner, choose_envelope_path, url_slug
from rori_spiders.envelope.file_names import MAX_NAME_BYTES
from tests.support.cases import cases

HASH = "sha256:" + "a1b2c3d4" + "0" * 56
ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
NOON = datetime(2026, 2, 13, 12, 0, tzinfo=UTC)


@cases(
    ("url", "expected"),
    [
        ("https://www.consumerfinance.gov/rules-policy/regulations/1024/5/", "1024-5"),
        ("https://www.consumerfinance.gov/rules-policy/regulations/1024/5", "1024-5"),
        ("https://www.hud.gov/counseling/part-214", "counseling-part-214"),
        ("https://x.gov/a//b///", "a-b"),
        ("https://x.gov/one", "one"),
        ("https://x.gov/", "index"),
        ("https://x.gov", "index"),
        ("https://x.gov/?page=2", "index"),
        ("https://x.gov/Title%2012/Part%201024.pdf", "title-12-part-1024-pdf"),
        ("https://x.gov/r%C3%A8gle/%C2%A7%205", "regle-ss-5"),
        ("https://x.gov/B1-1-01,_Loan", "b1-1-01-loan"),
        ("https://x.gov/laws/--/", "laws"),
    ],
)
def test_url_slug_is_made_of_last_two_segments(url: str, expected: str) -> None:
    assert url_slug(url) == expected


ODD_URLS = [
    "https://x.gov/../../etc/passwd",
    "https://x.gov/..%2f..%2f..%2fetc%2fpasswd",
    "https://x.gov/%2e%2e/%2e%2e",
    "https://x.gov/" + "%2f" * 1365,
    "https://x.gov/" + "%2F..%5c" * 600,
    "https://x.gov/a%00b/c%0ad",
    "https://x.gov/con",
    "https://x.gov/NUL",
    "https://x.gov/aux.txt",
    "https://x.gov/com1",
    "https://x.gov/lpt9/",
    "https://x.gov/.git/config",
    "https://x.gov/_index.jsonl",
    "https://x.gov/法律/規則",
    "https://x.gov/%E6%B3%95%E5%BE%8B",
    "https://x.gov/😀/🏠",
    "https://x.gov/%ff%fe%fd",
    "https://x.gov/\ud800",
    "https://x.gov/" + "very-long-" * 500,
    "https://x.gov/" + "é" * 4000,
    "https://x.gov/~/$HOME/`id`/;rm -rf *",
    "https://x.gov/a__b/c__d",
    "https://[broken/path",
    "https://x.gov/-/-",
    "//",
    "",
]


@cases("url", ODD_URLS)
def test_url_slug_of_odd_url_is_short_and_safe(url: str) -> None:
    found = url_slug(url)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", found)
    assert len(found) <= 80
    assert found not in {"con", "nul", "aux", "com1", "lpt9"}
    assert found == url_slug(url)


ODD_DOMAINS = ["x.gov", "127.0.0.1", "::1", "../..", "_objects", ".hidden", "", "bücher.example"]
ODD_SOURCES = ["reg-x", "a" * 200, "../../up", "länder", "-", "a/b"]


@pytest.mark.slow
def test_envelope_path_stays_in_folder_and_under_200_bytes() -> None:
    for url, domain, source in itertools.product(ODD_URLS, ODD_DOMAINS, ODD_SOURCES):
        path = choose_envelope_path(domain, NOON, source, url, HASH, envelope_id=ID, taken=lambda _: None)
        folder, day, name = path.split("/")
        assert re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", folder)
        assert ".." not in folder
        assert day == "2026-02-13"
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*__[a-z0-9-]+__a1b2c3d4\.json", name)
        assert len(name.encode()) <= MAX_NAME_BYTES


def test_envelope_path_matches_specification() -> None:
    url = "https://www.consumerfinance.gov/rules-policy/regulations/1024/5/"
    path = choose_envelope_path(
        "consumerfinance.gov", NOON, "cfpb-reg-x", url, HASH, envelope_id=ID, taken=lambda _: None
    )
    assert path == "consumerfinance.gov/2026-02-13/cfpb-reg-x__1024-5__a1b2c3d4.json"


def test_envelope_path_day_is_utc_day_of_capture() -> None:
    evening = datetime(2026, 2, 13, 22, 0, tzinfo=timezone(timedelta(hours=-5)))
    path = choose_envelope_path("x.gov", evening, "s", "https://x.gov/a", HASH, envelope_id=ID, taken=lambda _: None)
    assert path.startswith("x.gov/2026-02-14/")


class Names:
    """What is taken, and by whom."""

    def __init__(self) -> None:
        self.owners: dict[str, str] = {}

    def take(self, url: str, *, envelope_id: str = ID, source: str = "s") -> str:
        path = choose_envelope_path("x.gov", NOON, source, url, HASH, envelope_id=envelope_id, taken=self.owner)
        assert path not in self.owners
        self.owners[path] = url
        return path

    def owner(self, path: str) -> FileOwner | None:
        return FileOwner(self.owners[path]) if path in self.owners else None


def test_envelope_path_collision_with_other_page_adds_url_hash() -> None:
    names = Names()
    assert names.take("https://x.gov/one/a/b") == "x.gov/2026-02-13/s__a-b__a1b2c3d4.json"
    assert names.take("https://x.gov/two/a/b") == "x.gov/2026-02-13/s__a-b-8ec3f63c__a1b2c3d4.json"


def test_envelope_path_same_page_on_same_day_adds_envelope_id() -> None:
    names = Names()
    names.take("https://x.gov/a/b")
    assert names.take("https://x.gov/a/b") == "x.gov/2026-02-13/s__a-b-7c9e6679__a1b2c3d4.json"


def test_envelope_path_of_unknown_file_counts_as_other_page() -> None:
    stray = "x.gov/2026-02-13/s__a-b__a1b2c3d4.json"
    names = Names()
    names.owners[stray] = ""
    assert names.take("https://x.gov/a/b") == "x.gov/2026-02-13/s__a-b-20896796__a1b2c3d4.json"


def test_envelope_path_many_collisions_each_get_own_name() -> None:
    names = Names()
    numbers = itertools.count()
    for _day_of_edits in range(5):
        for page in ("one", "two", "three"):
            envelope_id = f"7c9e6679-0000-4000-8000-{next(numbers):012x}"  # the same first 8 for all
            names.take(f"https://x.gov/{page}/a/b", envelope_id=envelope_id)
            names.take(f"https://x.gov/{page}/a/b/" + "c" * 300, envelope_id=envelope_id, source="x" * 100)
    assert len(names.owners) == 30
    assert all(len(path.rpartition("/")[2].encode()) <= MAX_NAME_BYTES for path in names.owners)
    assert all(path.endswith("__a1b2c3d4.json") for path in names.owners)
