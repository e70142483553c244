"""What `scrapy verify` says that it checked."""

from __future__ import annotations

from rori_spiders.terminal.commands.verify import describe_counts
from tests.support.cases import cases


@cases(
    ("name", "one", "two"),
    [
        ("heads", "1 head", "2 heads"),
        ("summaries", "1 summary", "2 summaries"),
        ("corpus_files", "1 corpus file", "2 corpus files"),
        ("runs_with_lists", "1 run with lists", "2 runs with lists"),
        ("texts_of_another_converter", "1 text of another converter", "2 texts of another converter"),
    ],
)
def test_describe_counts_one_is_singular(name: str, one: str, two: str) -> None:
    assert (describe_counts({name: 1}), describe_counts({name: 2})) == (one, two)
