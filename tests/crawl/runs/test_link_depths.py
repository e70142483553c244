"""The shortest way to a page counts, whatever way it was found by."""

from __future__ import annotations

from rori_spiders.crawl.runs.lifecycle import shortest_depths


def test_link_depth_shorter_path_found_late_includes_pages_behind_it() -> None:
    links = {"/": ("/a", "/late"), "/a": ("/b",), "/b": ("/c",), "/late": ("/c",), "/c": ("/d",)}
    found = {"/": 0, "/a": 1, "/late": 1, "/b": 2, "/c": 3}
    assert shortest_depths(found, links, ()) == found | {"/c": 2, "/d": 3}


def test_link_depth_of_redirects_and_next_pages_is_that_of_referrer() -> None:
    links = {"/": ("/list",), "/list": ("/2", "/3"), "/2": ("/3",), "/3": ("/item",)}
    same_depth = [("/list", "/2"), ("/2", "/3"), ("/item", "/read-here")]
    found = {"/": 0, "/list": 1, "/2": 1, "/3": 2}
    assert shortest_depths(found, links, same_depth) == {
        "/": 0,
        "/list": 1,
        "/2": 1,
        "/3": 1,
        "/item": 2,
        "/read-here": 2,
    }


def test_link_depth_circular_links_end() -> None:
    assert shortest_depths({"/": 0}, {"/": ("/a",), "/a": ("/", "/a")}, [("/a", "/")]) == {"/": 0, "/a": 1}
