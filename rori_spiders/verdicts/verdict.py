"""The parts of a verdict: kinds, rules that fired, and the facts about the page's previous version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal[
    "content",
    "challenge",
    "captcha",
    "denied",
    "filtered",
    "rate_limited",
    "login_wall",
    "consent_wall",
    "age_wall",
    "js_shell",
    "empty",
    "redirect_stub",
    "soft_404",
    "not_found",
    "parked",
    "maintenance",
    "server_error",
    "unknown",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class FiredRule:
    """A rule that fired, and where: ``status``, or a place of the response and an offset in it ("title:0")."""

    rule: str
    where: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a response is. Only ``content`` may change hashes, counts, or anything published.

    ``confidence`` is between 0 and 1: 0.95 and more for a strong rule or a proven page, 0.5 to 0.6 for a hint.
    """

    kind: Kind
    vendor: str | None
    confidence: float
    rules: tuple[FiredRule, ...] = ()

    @property
    def is_content(self) -> bool:
        return self.kind == "content"

    @property
    def is_proved(self) -> bool:
        """Whether what was known of the page proves it to be content, whatever it says."""
        return self.is_content and any(
            fired.rule in {"known-anchors", "expected-text", "last-good-size"} for fired in self.rules
        )

    @property
    def is_doubtful(self) -> bool:
        """Whether the page reads like a block or login page, by one sign of two: a person is to look at it."""
        return any(fired.rule.startswith("doubt-") for fired in self.rules)

    @property
    def has_only_shrunk(self) -> bool:
        """Whether nothing speaks against the page but that it is far shorter than its last good text."""
        return self.kind == "unknown" and {fired.rule for fired in self.rules} == {"shrunk"}


@dataclass(frozen=True, slots=True)
class PageExpectation:
    """What is expected of this page: its source's ``expect``, its last good size, texts that it has always had.

    ``anchors`` are proof, before every rule that looks at a page. ``must_contain`` is a demand: a page that lacks one
    of the phrases proves nothing, and one that has them all is content, unless a strong rule or its status denies it.
    ``min_chars`` is a demand only. ``last_good_chars``: the size of the page's last good text; a tenth of it proves
    nothing, half of it vetoes weak rules and shapes.
    """

    must_contain: tuple[str, ...] = ()
    min_chars: int = 0
    last_good_chars: int | None = None
    anchors: tuple[str, ...] = ()
