"""A field asked of the real small model: as every model is asked, or held to quotes that are real.

In: a server of the model, a text, a field. Out: the ``Drawing``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.fields.extraction.page_extraction import extract
from rori_spiders.fields.grounding.page import Page
from rori_spiders.llm.client import ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model
from rori_spiders.manifest.models import FieldDefinition
from tests.fields.inventing import inventions
from tests.support.model_budget import UnlimitedBudget
from tests.support.server.small_model import CONTEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.fields.extraction.page_extraction import ExtractionResult
    from rori_spiders.llm.client import ModelAnswer

#: A quote and a value; what goes on beyond it repeats itself.
_ANSWER_TOKENS = 100
#: The test's own limit ends a model that hangs: on a busy machine no answer is late.
_TIMEOUT_S = 3600.0
_MOST_PAIRS, _LONGEST_QUOTE = 24, 160


class Narrowed(ModelClient):
    """A client whose answers are held, by the grammar, to values that stand in sentences of the page, with these."""

    async def ask(
        self, messages: Sequence[dict[str, str]], schema: dict[str, Any], url: str | None = None
    ) -> ModelAnswer:
        told = json.loads(messages[0]["content"].rpartition("\n")[2])
        field = FieldDefinition.model_validate({key: told[key] for key in ("name", "type", "description")})
        shown = next(one["content"] for one in messages if one["role"] == "user")
        every = [pair for pair in inventions(shown, field) if len(pair[1]) <= _LONGEST_QUOTE and pair[1][0] != "#"]
        some = every[:: -(-len(every) // _MOST_PAIRS)] if every else [(None, "")]
        pairs = [_object(quote={"const": quote}, value={"const": value}) for value, quote in some]
        of_list = {"type": "array", "items": {"anyOf": pairs}, "minItems": 1, "maxItems": 2}
        answer = of_list if field.is_list else {"anyOf": pairs}
        return await super().ask(messages, _object(**{field.name: answer}), url)


def _object(**properties: object) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


#: How a model is asked, and the client that does it.
WAYS = {"as it likes": ModelClient, "real quotes": Narrowed}


async def drawn(kind: type[ModelClient], url: str, text: str, field: FieldDefinition) -> ExtractionResult:
    """*field* of *text*, by the model at *url*."""
    model = Model(url, "smollm2-135m", timeout_s=_TIMEOUT_S, context_tokens=CONTEXT, answer_tokens=_ANSWER_TOKENS)
    async with kind(model, KeyRotator(("none",)), UnlimitedBudget()) as client:
        return await extract(Page(text), [field], client)
