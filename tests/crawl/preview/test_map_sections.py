"""Pages by folders: a tree that opens the largest sections first, and never more rows than were asked for."""

from __future__ import annotations

from rori_spiders.crawl.preview.map_inventory import (
    MapEntry,
    build_section_tree,
    count_exclusion_reasons,
    folder_of_entry,
    visible_sections,
)
from rori_spiders.reasons import CAPTURED, Reason

SITE = "https://www.example.gov"


def entry(path: str, state: str = "collect", reason: Reason = CAPTURED, lastmod: str | None = None) -> MapEntry:
    url = path if "://" in path else SITE + path
    return MapEntry(url, "page", state, reason, found_by="sitemap", lastmod=lastmod)


def rows(*entries: MapEntry, most: int = 40) -> list[tuple[int, str, int]]:
    return [(one.level, one.name, one.size) for one in visible_sections(build_section_tree(entries), most)]


def test_map_section_of_page_is_its_folder() -> None:
    assert [folder_of_entry(entry(path)) for path in ("/", "/a", "/a/", "/a/b.html", "/a/b?c=/d/e")] == [
        *("/", "/", "/a/", "/a/", "/a/"),
    ]


def test_map_sections_count_pages_of_subfolders() -> None:
    found = rows(entry("/"), entry("/law/1"), entry("/law/2"), entry("/law/old/3"), entry("/faq/"))
    assert found == [(0, "/", 5), (1, "/faq/", 1), (1, "/law/", 3), (2, "/law/old/", 1)]


def test_map_sections_with_single_child_are_one_row() -> None:
    assert rows(entry("/a/b/c/1"), entry("/a/b/c/d/2")) == [(0, "/a/b/c/", 2), (1, "/a/b/c/d/", 1)]


def test_map_sections_largest_are_expanded_and_rest_collapsed() -> None:
    small = [entry(f"/small/{n}/x") for n in range(3)]
    large = [entry(f"/large/{n % 4}/{n}") for n in range(40)]
    found = rows(*small, *large, most=7)
    assert len(found) == 7
    assert [row for row in found if row[0] == 0] == [(0, "/", 43)]
    assert [row for row in found if row[0] == 1] == [(1, "/large/", 40), (1, "/small/", 3)]
    assert len([row for row in found if row[1].startswith("/large/")]) == 5


def test_map_sections_60000_folders_fit_into_few_rows() -> None:
    many = (entry(f"/{n}/page{k}") for n in range(20_000) for k in range(1 + 3 * (n < 2)))
    found = rows(*many, entry("/x"), most=5)
    assert found == [(0, "/", 20_007), (1, "/0/", 4), (1, "/1/", 4), (1, "/10/", 1), (1, "/... (19,997 more)", 19_997)]


def test_map_sections_begin_with_host_where_there_are_several() -> None:
    found = rows(entry("/a/1"), entry("https://www.hud.gov/b/2"))
    assert [name for _, name, _ in found] == [f"{SITE}/a/", "https://www.hud.gov/b/"]


def test_map_section_has_newest_date() -> None:
    dated = [
        entry("/a", lastmod="2025-12-01"),
        entry("/b", lastmod="2026-01-01T10:00:00Z"),
        entry("/c", lastmod="soon"),
    ]
    (root,) = visible_sections(build_section_tree(dated), 5)
    assert root.lastmod == "2026-01-01T10:00:00Z"


def test_map_reasons_are_counted_without_their_urls() -> None:
    found = count_exclusion_reasons(
        [
            entry("/a", "excluded", Reason("redirected_off_site", target_url=f"{SITE}/a")),
            entry("/b", "excluded", Reason("redirected_off_site", target_url=f"{SITE}/b")),
            entry("/c", "failed", Reason("denied", http_status=403)),
            entry("/d"),
        ]
    )
    assert found == [
        ("excluded", Reason("redirected_off_site", target_url="..."), 2, f"{SITE}/a"),
        ("failed", Reason("denied", http_status=403), 1, f"{SITE}/c"),
    ]
