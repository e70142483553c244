"""The language model: asked one tiny question, paid for like any other. Nothing of a page is sent."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rori_spiders.doctor.fetching import money
from rori_spiders.doctor.patient import Finding
from rori_spiders.exceptions import AllKeysExhaustedError, ConfigError, ExtractionError
from rori_spiders.llm.client import MODES, Client
from rori_spiders.llm.keys import KeyRotator, keys_from
from rori_spiders.llm.model import model_from
from rori_spiders.llm.purse import PROVIDER, LedgerPurse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.doctor.patient import Patient
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.llm.model import Model
    from rori_spiders.llm.reading import Answer

#: A small model on two cores answers this in some seconds; whoever waits for the doctor does not wait a minute.
_PATIENCE_S = 30.0
_QUESTION = (
    {"role": "system", "content": 'Answer with JSON alone: {"sum": a whole number}.'},
    {"role": "user", "content": "What is two and two?"},
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}
#: What to do about each reason that a model may have not to answer (docs/fields.md).
_DO = {
    "llm_unreachable": "Is its server running? Is RORI_LLM_URL right, and does no firewall forbid it?",
    "llm_timeout": "Is its server busy, or loading the model? A slow one needs a longer RORI_LLM_TIMEOUT.",
    "llm_error": "Look at its server's own log.",
    "llm_rejected": "Does its server know a model of the name RORI_LLM_MODEL? RORI_LLM_URL ends with /v1 for most.",
    "llm_bad_answer": "Does a chat server answer at RORI_LLM_URL? It ends with /v1 for most.",
    "llm_refusal": "Name another model: this one, or its server's filter, refuses a sum.",
    "llm_length": "Raise RORI_LLM_ANSWER_TOKENS: a model that thinks first needs more.",
    "llm_empty": "Name another model, or look at its server's own log.",
    "llm_keys_exhausted": "Are the keys in RORI_LLM_KEYS right, and paid for? See docs/settings.md.",
    "cost_limit": "Raise RORI_LLM_LIMIT, or RORI_COST_LIMIT, if what it draws is worth it.",
}


def model(patient: Patient) -> Iterator[Finding]:
    """Whether it answers, in which form, and the money that is left."""
    if not (patient.settings.get("RORI_LLM_URL") or patient.settings.get("RORI_LLM_MODEL")):
        yield Finding("model", "ok", "none is named (RORI_LLM_URL, RORI_LLM_MODEL)")
        return
    try:
        named = model_from(patient.settings)
    except ConfigError as error:
        yield Finding("model", "failed", str(error), "Correct it: docs/settings.md.")
        return
    if find_spec("openai") is None:
        yield Finding("model", "failed", "its client is not installed", "pip install 'rori-collector[llm]'")
    elif patient.ledger is None:
        found = f"{named.name} was not asked: there is no ledger to note in what that costs"
        yield Finding("model", "warning", found, "Run `scrapy collect`, which makes it, or mend it; then this again.")
    else:
        yield from _tried(patient, named, patient.ledger)


def _tried(patient: Patient, named: Model, ledger: Ledger) -> Iterator[Finding]:
    told = f"{named.name} at {named.url}"
    try:
        answer = asyncio.run(_answer(replace(named, timeout_s=min(named.timeout_s, _PATIENCE_S)), ledger))
    except (ExtractionError, AllKeysExhaustedError) as error:
        yield Finding("model", "failed", f"{told}: {error.reason}: {error}", _DO.get(error.reason, ""))
        return
    if not _is_in_form(answer.text):
        do = "Name another model: answers of another form than asked for are no values."
        yield Finding("model", "warning", f"{told} answers, but not in the form that it is asked for", do)
    elif answer.mode != MODES[0]:
        do = "Nothing, if you must: answers are read as strictly. A server that knows json_schema fails fewer pages."
        found = f"{told} answers, as {answer.mode}: its server does not take json_schema"
        yield Finding("model", "warning", found, do)
    yield from money(patient, PROVIDER, f"{told} answers as {answer.mode}")


async def _answer(named: Model, ledger: Ledger) -> Answer:
    """Asked once: what passes by itself is told too."""
    async with Client(named, KeyRotator(keys_from()), LedgerPurse(ledger, named), waits=()) as client:
        return await client.ask(_QUESTION, _SCHEMA)


def _is_in_form(text: str) -> bool:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(read, dict) and set(read) == {"sum"} and type(read["sum"]) is int
