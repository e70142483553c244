"""Reason codes: each has its sentence, each word that becomes one is one, and nothing decides by a sentence."""

from __future__ import annotations

import ast
import pickle
import re

import pytest

from rori_spiders import exceptions
from rori_spiders.crawl.tiers.errors import PROVIDER_REASONS
from rori_spiders.reasons import CAPTURED, SENTENCES, Reason, ReasonCode
from rori_spiders.reviews.events import EVENTS
from rori_spiders.verdicts.verdict import KINDS
from tests.house.code import PACKAGE, modules


def test_reason_has_sentence_code_and_details() -> None:
    reason = Reason("denied", vendor=None, http_status=403)
    assert (reason, reason.code, reason.detail) == (
        "Blocked: the server answered HTTP 403 with an access-denied page.",
        ReasonCode.DENIED,
        {"http_status": 403},
    )
    assert Reason(ReasonCode.DENIED, vendor="akamai", http_status=403).endswith("an access-denied page (rule: akamai).")
    assert (Reason(ReasonCode.TIMEOUT), Reason(ReasonCode.TIMEOUT, error="30 s")) == ("Timeout", "Timeout: 30 s")
    assert CAPTURED == "" and not CAPTURED


def test_reason_survives_pickling() -> None:
    reason = Reason(ReasonCode.REDIRECTED, target_url="https://hud.gov/b")
    again = pickle.loads(pickle.dumps(reason))
    assert (again, again.code, again.detail) == (reason, reason.code, reason.detail)


def test_reason_masked_has_masked_details() -> None:
    reason = Reason(ReasonCode.REDIRECTED, target_url="https://hud.gov/?key=s3cret", http_status=301)
    masked = reason.masked(lambda said: said.replace("s3cret", "[redacted]"))
    assert masked == "Redirects to https://hud.gov/?key=[redacted]"
    assert masked.detail == {"target_url": "https://hud.gov/?key=[redacted]", "http_status": 301}
    assert reason.masked(str) is reason


def test_reason_missing_detail_is_refused() -> None:
    with pytest.raises(KeyError):
        Reason(ReasonCode.REDIRECTED)
    with pytest.raises(ValueError, match="no_such_code"):
        Reason("no_such_code")


def test_reason_codes_are_made_of_words() -> None:
    kinds = vars(exceptions).values()
    conversion = {one.reason for one in kinds if isinstance(one, type) and issubclass(one, exceptions.ConversionError)}
    assert {*KINDS, *conversion, *PROVIDER_REASONS} - {"content"} <= {code.value for code in ReasonCode}


def test_reason_codes_fit_column_and_have_distinct_sentences() -> None:
    assert all(len(code) <= 40 and re.fullmatch(r"[a-z0-9_]+", code) for code in ReasonCode)
    assert set(SENTENCES) == set(ReasonCode)


def test_alert_events_are_sent_by_codes() -> None:
    assert all(re.fullmatch(r"[a-z_]+", event.sent) for event in EVENTS.values())


_TESTS_OF_TEXT = {
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "split", "contains", "like", "ilike",
    "match", "fullmatch", "search", "find", "index",
}  # fmt: skip
#: Where a text with the name of a reason is no reason of a page: searched for by a person, or shortened to be shown.
_ALLOWED = {
    "corpus/triage/model_triage.py": "takes line breaks out of what a model wrote",
    "ledger/audit/failure_log.py": "searches what a person typed",
    "crawl/runs/review_holds/apply.py": "quotes the first part of what a page was held for",
}


def test_reason_codes_docs_are_current() -> None:
    page = (PACKAGE.parent / "docs" / "reference" / "reason-codes.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| `(.*)` \|$", page, re.MULTILINE))
    assert listed == {code.value: SENTENCES[code] or " " for code in ReasonCode}


def test_decisions_read_no_sentence() -> None:
    found = []
    for module in modules().values():
        name = module.path.relative_to(PACKAGE).as_posix()
        if name not in _ALLOWED and "migrations" not in name:
            found += [f"{name}: {ast.unparse(node)[:80]}" for node in module.nodes if _reads_reason(node)]
    assert found == []


def _reads_reason(node: ast.AST) -> bool:
    """Whether *node* looks into a text that is called a reason."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TESTS_OF_TEXT:
        return any(_is_reason(one) for one in (node.func.value, *node.args))
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        texts = [one for one in sides if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value]
        return bool(texts) and any(_is_reason(one) for one in sides)
    return False


def _is_reason(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return any(_is_reason(one) for one in node.values)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "reason"
    return isinstance(node, ast.Attribute) and node.attr == "reason" and not _is_exceptions(node.value)


def _is_exceptions(node: ast.expr) -> bool:
    """The `reason` of an exception, and of an option, is a word of its own."""
    return isinstance(node, ast.Name) and node.id in {"error", "exception", "opts", "kind", "by"}
