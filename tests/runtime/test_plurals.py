"""Numbers in sentences for people."""

from __future__ import annotations

from rori_spiders.runtime.plurals import format_page_numbers


def test_page_numbers_are_written_as_ranges() -> None:
    assert format_page_numbers((7,)) == "page 7"
    assert format_page_numbers((2, 3, 4, 9)) == "pages 2-4, 9"
    assert format_page_numbers(tuple(range(1, 30, 2))) == "pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 5 more ranges"
