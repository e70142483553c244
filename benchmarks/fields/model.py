"""A stand-in for a language model, on a free port of 127.0.0.1: what it answers of a page is known beforehand.

It speaks OpenAI's protocol. The path names who asks, the page, and how it behaves, so that each tool is given the same
answers, each in the form that it asks for. It answers of what the question shows, and quotes as the question has it:

- honest: each value that the page states, with the words that state it;
- lying: three in ten fields have a false value (``LIES``), one that the page does not state among them;
- misquoting: the values are right; three in ten quotes are in words of its own;
- obeying: as honest, but an order to a model that it is shown it obeys;
- malformed: as honest; the first answer about every second page cannot be parsed.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections import Counter
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.fields.samples import Statement, comparable
from rori_spiders.fields.grounding.quantities import currency_of, days_in, numbers_in

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from typing import Self

    from benchmarks.fields.samples import Sample
    from rori_spiders.manifest.models import FieldDefinition

BEHAVIOURS = ("honest", "lying", "misquoting", "obeying", "malformed")
#: A value that nobody gave; another one of the page with its own sentence; one that was true once; a "no" for a "yes".
LIES = ("changed", "made-up quote", "other sentence", "stale", "flipped")
_LYING = 0.3
_MARKS = re.compile(r"\]\([^()\s]*\)|[*`\[\]\\|]|(?<!\w)_|_(?!\w)|<[^>]*>")


class Claim(NamedTuple):
    """What the model says of a field. ``anchor``: words that must be shown to it; ``lie``: how it is false."""

    field: FieldDefinition
    value: Any
    quote: str
    anchor: str
    lie: str | None = None


class Mind:
    """What the model says of a page: the same for every tool that asks."""

    def __init__(self, sample: Sample, behaviour: str, seed: int) -> None:
        self.sample = sample
        self.behaviour = behaviour
        self._rng = random.Random(f"{seed} {sample.name} {behaviour}")  # noqa: S311  # which lies
        self.claims = [claim for field in sample.fields for claim in self._claims_of(field)]
        self.breaks = behaviour == "malformed" and self._rng.random() < 0.5
        self._reads = {claim.quote: self._rng.random() < 0.5 for claim in self.claims}

    def right_values(self) -> dict[str, set[Hashable]]:
        """By field: the values that it gives and that the page states."""
        right: dict[str, set[Hashable]] = {field.name: set() for field in self.sample.fields}
        for one in self.claims:
            if one.lie is None:
                right[one.field.name].add(comparable(one.value))
        return right

    def answers(self, question: str) -> list[Claim]:
        """What it says of what *question* shows, with quotes as the question has them."""
        said = [one for one in self.claims if _find(one.anchor, question)]
        order = self.sample.order
        if self.behaviour == "obeying" and order and (shown := _find(order[1], question)):
            field = next(one for one in self.sample.fields if one.name == order[0])
            said = [one for one in said if one.field.name != order[0]]
            said.append(Claim(field, order[2], shown, order[1], "order"))
        return [one._replace(quote=self._quote(one, question)) for one in said]

    def _quote(self, claim: Claim, question: str) -> str:
        shown = _find(claim.quote, question)
        if shown is None:
            return claim.quote
        # Every second time it drops the marks, as models do.
        return (
            " ".join(_MARKS.sub(" " if "|" in shown else "", shown).split()) if self._reads.get(claim.quote) else shown
        )

    def _claims_of(self, field: FieldDefinition) -> Iterator[Claim]:
        stated = self.sample.stated.get(field.name, ())
        lie = self._lie(field) if self.behaviour == "lying" and self._rng.random() < _LYING else None
        if lie is not None:
            yield lie
        for value, quote in stated if lie is None or field.is_list else ():
            if self.behaviour == "misquoting" and self._rng.random() < _LYING:
                yield Claim(field, value, f"As this page says, the {field.description} is {_written(value)}", quote)
            else:
                yield Claim(field, value, quote, quote)

    # Lies.

    def _lie(self, field: FieldDefinition) -> Claim | None:
        true = {comparable(one.value) for one in self.sample.stated.get(field.name, ())}
        for lie in self._rng.sample(LIES, len(LIES)):
            found = [one for one in self._lies(field, lie) if comparable(one.value) not in true]
            if found:
                return self._rng.choice(found)
        return None

    def _lies(self, field: FieldDefinition, lie: str) -> Iterator[Claim]:
        stated = self.sample.stated.get(field.name, ())
        quotes = [one.quote for one in stated] or list(self.sample.asides[:1])
        if lie == "stale" and field.name in self.sample.stale:
            yield self._claim(field, *self.sample.stale[field.name], lie)
        elif lie == "flipped" and field.item_type == "boolean" and stated:
            yield self._claim(field, not stated[0].value, stated[0].quote, lie)
        elif lie == "other sentence":
            yield from (self._claim(field, value, quote, lie) for value, quote in self._elsewhere(field))
        elif lie in {"changed", "made-up quote"} and quotes and field.item_type != "boolean":
            value = _changed(field, stated[0].value if stated else None, self._rng)
            quote = quotes[0] if lie == "changed" else f"The {field.description} is {_written(value)}."
            yield Claim(field, value, quote, quotes[0], lie)

    def _claim(self, field: FieldDefinition, value: Any, quote: str, lie: str) -> Claim:
        return Claim(field, value, quote, quote, lie)

    def _elsewhere(self, field: FieldDefinition) -> Iterator[Statement]:
        """Values of the field's type that other sentences of the page have."""
        others = [one for name, many in self.sample.stated.items() if name != field.name for one in many]
        sentences = [*self.sample.asides, *(one.quote for one in others)]
        if field.enum is not None:
            return
        if field.item_type == "boolean":
            if not self.sample.stated.get(field.name):
                yield from (Statement(True, one) for one in self.sample.asides)
        elif field.item_type == "string":
            yield from (one for one in others if isinstance(one.value, str) and not _is_day(one.value))
        else:
            yield from (Statement(value, one) for one in sentences for value in _values_in(field.item_type, one))


def _values_in(kind: str, sentence: str) -> Iterator[Any]:
    if kind == "date":
        yield from (one.iso for one in days_in(sentence))
        return
    for number in numbers_in(sentence):
        value = int(number.value) if number.value == int(number.value) else float(number.value)
        if kind == "money":
            currency = currency_of(sentence, number.start, number.end).name
            if currency is not None:
                yield {"amount": value, "currency": currency}
        elif kind == "number" or isinstance(value, int):
            yield value


def _is_day(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None


def _changed(field: FieldDefinition, true: Any, rng: random.Random) -> Any:
    """A value that the page does not have."""
    kind = field.item_type
    if field.enum is not None:
        return rng.choice([one for one in field.enum if one != true])
    if kind == "date":
        return (
            (date.fromisoformat(true) if true else date(2026, 5, 17)) + timedelta(days=rng.randint(1, 400))
        ).isoformat()
    if kind == "money":
        return {"amount": _other_number((true or {}).get("amount", 730), rng), "currency": "USD"}
    if kind in {"number", "integer"}:
        return _other_number(true or 17, rng)
    if true and re.search(r"\d", true):
        return re.sub(r"\d", lambda found: str((int(found[0]) + 3) % 10), true)
    return rng.choice(["Harriet Vandermeer", "Xenia County", "Form ZZ-9081"])


def _other_number(value: float, rng: random.Random) -> float:
    return rng.choice([value * 10, value + rng.randint(1, 9), value * 2 + 1])


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return f"${value['amount']:,}" if set(value) == {"amount", "currency"} else " ".join(map(str, value.values()))
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _find(words: str, question: str) -> str | None:
    """The words as the question has them, markup between them included; the last place where they stand."""
    tokens = re.findall(r"\w+|[^\w\s]", words)
    tokens = [one for one in tokens if one.isalnum() or one in "$€£%@"]
    if not tokens:
        return None
    between = r"(?:[^\w$€£%@]|(?<=\])\(\S*?\)(?=[\s,.;)|\]*]|$)){0,80}?"
    pattern = between.join(map(re.escape, tokens))
    if words.rstrip()[-1:] in ".)":
        pattern += rf"(?:[*_]*{re.escape(words.rstrip()[-1])})?"
    found = [*re.finditer(rf"(?<!\w){pattern}(?!\w)", question.replace("’", "'"))] or [
        *re.finditer(rf"(?<!\w){pattern}(?!\w)", question)
    ]
    return question[found[-1].start() : found[-1].end()] if found else None


# The forms of answers.


def _as_ours(claims: Sequence[Claim], sample: Sample) -> str:
    answer: dict[str, Any] = {field.name: [] if field.is_list else None for field in sample.fields}
    for one in claims:
        entry = {"quote": one.quote, "value": one.value}
        if one.field.is_list:
            answer[one.field.name].append(entry)
        else:
            answer[one.field.name] = entry
    return json.dumps(answer, ensure_ascii=False)


def _as_crawl4ai(claims: Sequence[Claim], sample: Sample) -> str:
    answer: dict[str, Any] = {}
    for one in claims:
        if one.field.is_list:
            answer.setdefault(one.field.name, []).append(one.value)
        else:
            answer[one.field.name] = one.value
    return f"<blocks>\n{json.dumps([answer], ensure_ascii=False)}\n</blocks>"


def _as_langextract(claims: Sequence[Claim], sample: Sample) -> str:
    extractions = [
        {one.field.name: one.quote, f"{one.field.name}_attributes": {"value": json.dumps(one.value)}} for one in claims
    ]
    return json.dumps({"extractions": extractions}, ensure_ascii=False)


FORMS: dict[str, Callable[[Sequence[Claim], Sample], str]] = {
    "ours": _as_ours,
    "crawl4ai": _as_crawl4ai,
    "langextract": _as_langextract,
}
_BREAKS: tuple[Callable[[str], str], ...] = (
    lambda text: text[: len(text) * 2 // 3],
    lambda text: text.replace('": ', '": ,', 1),
    lambda text: text.replace('"', "'"),
    lambda text: f"I have read the page. Here is what it says:\n\n{text}\n\nI hope that this helps!",
    lambda text: f"```json\n{text}\n```",
)


class StandInModel:
    """The server. ``url(tool, sample, behaviour)`` is the base of the API for one page; ``asked`` counts questions."""

    def __init__(self, seed: int) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self._seed = seed
        self._minds: dict[tuple[str, str], Mind] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def mind(self, sample: Sample, behaviour: str) -> Mind:
        key = (sample.name, behaviour)
        if key not in self._minds:
            self._minds[key] = Mind(sample, behaviour, self._seed)
        return self._minds[key]

    def url(self, tool: str, sample: Sample, behaviour: str) -> str:
        self.mind(sample, behaviour)
        return f"http://127.0.0.1:{self._server.server_port}/{tool}/{sample.name}/{behaviour}/v1"

    def answer(self, path: str, messages: Sequence[dict[str, Any]]) -> str:
        """The text of an answer to *messages*."""
        tool, name, behaviour = path.split("/")[1:4]
        self.asked[tool, behaviour] += 1
        mind = self._minds[name, behaviour]
        question = "\n".join(str(one["content"]) for one in messages if one["role"] == "user")
        if tool == "crawl4ai":  # shows the page with its line breaks and quote marks escaped
            question = question.replace("\\n", "\n").replace('\\"', '"')
        text = FORMS[tool](mind.answers(question), mind.sample)
        is_first = all(one["role"] != "assistant" for one in messages)
        if mind.breaks and is_first:
            return _BREAKS[sum(map(ord, name)) % len(_BREAKS)](text)
        return text

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = answer(self.path, asked["messages"])
                message = {"role": "assistant", "content": text}
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                body = {
                    "id": "answer", "object": "chat.completion", "created": 0, "model": asked["model"], "usage": usage,
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                }  # fmt: skip
                sent = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_: object) -> None:
                """Nothing is logged."""

        return Handler
