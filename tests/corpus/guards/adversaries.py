"""All operators that lie, and lies by them."""

from tests.corpus.guards import (
    lies_of_blocks,
    lies_of_boilerplate,
    lies_of_meaning,
    lies_of_places,
    lies_of_tables,
    lies_of_words,
    lies_unseen,
)
from tests.corpus.guards.lying import OPERATORS, lies

__all__ = [
    "OPERATORS",
    "lies",
    "lies_of_blocks",
    "lies_of_boilerplate",
    "lies_of_meaning",
    "lies_of_places",
    "lies_of_tables",
    "lies_of_words",
    "lies_unseen",
]
