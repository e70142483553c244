"""How likely the words of a short page are those of a wall, whatever they are: a logistic model over pieces of words.

It is a second witness where no rule knows the wording ("We hit a hiccup", "You've reached a dead end"). Its weights are
fitted by ``benchmarks/wall_wording.py``; a page that it suspects is in doubt, and never a wall for that.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters of a piece; a word's first and last have the blank beside it.
PIECE_LENGTHS = (3, 4)
_WEIGHTS = "wall_wording.json"


def wall_probability(text: str) -> float:
    """From 0 to 1, for a page that says *text*, its title and headings among it."""
    return probability(text, *_load_weights())


def probability(text: str, bias: float, weights: Mapping[str, float]) -> float:
    """The same by other *weights* of pieces."""
    return 1 / (1 + math.exp(-bias - sum(weights.get(piece, 0.0) for piece in pieces(text))))


def pieces(text: str) -> set[str]:
    """The pieces of the words of *text*, in small letters."""
    padded = (f" {word} " for word in text.lower().split())
    return {
        word[at : at + length] for word in padded for length in PIECE_LENGTHS for at in range(len(word) - length + 1)
    }


@cache
def _load_weights() -> tuple[float, dict[str, float]]:
    read = json.loads(files("rori_spiders.verdicts").joinpath(_WEIGHTS).read_text(encoding="utf-8"))
    return read["bias"], read["weights"]
