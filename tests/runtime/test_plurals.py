"""Numbers in sentences for people."""

from __future__ import annotations

from rori_spiders.runtime.plurals import format_count, format_page_numbers
from tests.support.cases import cases


@cases(
    ("number", "noun", "text"),
    [
        (1, "page", "1 page"),
        (2000, "page", "2,000 pages"),
        (1, "other head", "1 other head"),
        (2, "other head", "2 other heads"),
        (3, "removed block", "3 removed blocks"),
        (2, "page of the latest version", "2 pages of the latest version"),
    ],
)
def test_format_count_puts_the_counted_word_in_the_plural(number: int, noun: str, text: str) -> None:
    assert format_count(number, noun) == text


def test_page_numbers_are_written_as_ranges() -> None:
    assert format_page_numbers((7,)) == "page 7"
    assert format_page_numbers((2, 3, 4, 9)) == "pages 2-4, 9"
    assert format_page_numbers(tuple(range(1, 30, 2))) == "pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 5 more ranges"
