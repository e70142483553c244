"""The decision about each page: a person's, else a rule's, else none yet, which a model or the default makes.

In: pages of the map, rules, overrides, hosts, the time. Out: a decision for each page id, or None. First match decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from rori_spiders.corpus.triage.kinds import KINDS, LANGUAGE, LANGUAGES, NEWS, STATES_TOO, TITLES
from rori_spiders.corpus.triage.pages import EXCLUDE, INCLUDE, NEEDS_REVIEW, Decision
from rori_spiders.corpus.triage.recency import dated, months_old
from rori_spiders.manifest.scope import Glob
from rori_spiders.urls.canonical import host_of, path_and_query

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

    from rori_spiders.corpus.triage.pages import Mapped, Verdict
    from rori_spiders.corpus.triage.rules import TriageRules


@dataclass(frozen=True, slots=True)
class Override:
    """What a person has said of a URL."""

    decision: Verdict
    reason: str
    by: str


class Triage:
    """Decides by what people and rules say. *hosts* are those of the sources, or of the site.

    *given*: addresses that a manifest names itself, normalised; their parameters were reviewed with it.
    """

    def __init__(
        self,
        rules: TriageRules,
        hosts: Collection[str],
        overrides: Mapping[str, Override],
        now: datetime,
        given: Collection[str] = (),
    ) -> None:
        self._rules = rules
        self._hosts = {*hosts, *rules.allowed_hosts}
        self._overrides = overrides
        self._now = now
        self._given = frozenset(given)
        self._globs = {
            name: [Glob(one) for one in getattr(rules, name)]
            for name in ("include", "exclude", "review", "news_sections")
        }

    def decide(self, pages: Iterable[Mapped]) -> dict[str, Decision | None]:
        """Page id -> its decision; None where no rule says anything."""
        return {page.page_id: self._of(page) for page in pages}

    def default(self, page: Mapped) -> Decision:
        """What becomes of a page that no rule has decided, and no model."""
        if (said := self._rules.default_decision) is not None:
            return Decision(said, "rule", "default_decision", "no other rule decides, and the site rules say this then")
        if page.source_id is not None:
            why = f"a page of the source {page.source_id}, whose manifest was reviewed; no other rule decides"
            return Decision(INCLUDE, "rule", "reviewed source", why)
        return Decision(NEEDS_REVIEW, "rule", "nobody decides", "no rule decides, and no model was asked")

    def _of(self, page: Mapped) -> Decision | None:
        if (said := self._overrides.get(page.page_id)) is not None:
            return Decision(said.decision, "override", said.by, said.reason)
        steps = (self._collected, self._site_rules, self._address, self._kind, self._language, self._news, self._title)
        return next((found for step in steps if (found := step(page)) is not None), None)

    def _collected(self, page: Mapped) -> Decision | None:
        why = page.met_reason or page.met or ""
        if page.met == "excluded":
            return Decision(EXCLUDE, "rule", "collection", f"the collection leaves it out: {why}", evidence=(why,))
        if page.met == "gone":
            return Decision(EXCLUDE, "rule", "gone", f"its publisher has removed it: {why}", evidence=(why,))
        return None

    def _site_rules(self, page: Mapped) -> Decision | None:
        told: tuple[tuple[str, Verdict], ...] = (
            ("exclude", EXCLUDE), ("review", NEEDS_REVIEW), ("include", INCLUDE),
        )  # fmt: skip
        address = path_and_query(page.url)
        for name, decision in told:
            for glob in self._globs[name]:
                if glob.matches(address):
                    return _rule(decision, f"{name}: {glob.pattern}", "the site rules name it", glob.pattern)
        return None

    def _address(self, page: Mapped) -> Decision | None:
        if (host := host_of(page.url)) not in self._hosts:
            return _rule(EXCLUDE, "host", f"{host} is not among the hosts of this corpus", host)
        if page.url in self._given:
            return None
        names = [name for name, _ in parse_qsl(urlsplit(page.url).query, keep_blank_values=True)]
        if other := [name for name in names if name not in self._rules.allowed_parameters]:
            why = f"its address has parameters, which are ignored: {', '.join(other)}"
            return _rule(EXCLUDE, "query", why, urlsplit(page.url).query)
        return None

    def _kind(self, page: Mapped) -> Decision | None:
        address = path_and_query(page.url).lower()
        for kind in KINDS:
            if found := kind.pattern.search(address):
                return _rule(kind.decision, kind.name, kind.reason, found[0])
        return None

    def _language(self, page: Mapped) -> Decision | None:
        found = LANGUAGE.match(path_and_query(page.url).lower())
        by_path = found[1] if found and found[1] in LANGUAGES else None
        by_text = (page.language or "").partition("-")[0].lower()
        if by_path in STATES_TOO and by_path not in self._rules.languages:
            if not by_text:
                return _rule(NEEDS_REVIEW, "language", f"/{by_path}/ is a language or a state", by_path)
            by_path = None
        language = by_path or by_text
        if not language or language in self._rules.languages:
            return None
        evidence = found[0] if by_path and found else language
        return _rule(EXCLUDE, "language", f"its language is {language}", evidence)

    def _news(self, page: Mapped) -> Decision | None:
        address = path_and_query(page.url)
        by_name = NEWS.search(address.lower())
        if not by_name and not any(glob.matches(address) for glob in self._globs["news_sections"]):
            return None
        most = self._rules.recent_months
        day = dated(page.dated, address)
        if day is None:
            return _rule(NEEDS_REVIEW, "undated news", "news, and nobody knows how old", page.section) if most else None
        age = months_old(day, self._now)
        if most and age >= most:
            return _rule(EXCLUDE, "old news", f"news of {age} months ago; {most} is the most", day.isoformat())
        return _rule(INCLUDE, "recent news", f"news of {age} months ago", day.isoformat())

    def _title(self, page: Mapped) -> Decision | None:
        if page.title and TITLES.match(page.title):
            return _rule(EXCLUDE, "title", "its title says that it is a form or an error", page.title[:200])
        return None


def _rule(decision: Verdict, name: str, reason: str, evidence: str) -> Decision:
    return Decision(decision, "rule", name, reason, evidence=(evidence,))
