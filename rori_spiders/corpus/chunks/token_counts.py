"""Token counts of chunks, by the names of tokenizers: an estimate that needs nothing, and vocabularies of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from rori_spiders.corpus.auditing.chunks import estimate_tokens
from rori_spiders.corpus.site_rules import Tokenizer
from rori_spiders.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TOKENIZERS: tuple[Tokenizer, ...] = get_args(Tokenizer)
ESTIMATE = "estimate"


def token_counters(names: Sequence[Tokenizer]) -> dict[str, Callable[[str], int]]:
    """The counter of each tokenizer by its name, the estimate first. Raises UsageError when the extra is missing."""
    counters: dict[str, Callable[[str], int]] = {ESTIMATE: estimate_tokens}
    for name in names:
        counters[name] = _counter(name)
    return counters


def _counter(name: Tokenizer) -> Callable[[str], int]:
    try:
        import bpe_openai
    except ImportError as error:
        raise UsageError(
            f"the tokenizer {name} needs an extra: pip install 'rori-collector[tokens]', or take it out of `tokenizers`"
        ) from error
    encoding = bpe_openai.get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))
