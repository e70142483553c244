"""To which agents of AI a robots.txt closes a page by their names: what its publisher says of such use, in public.

A group for everybody says nothing of AI, and counts only for whoever asks (the collection obeys it).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from rori_spiders import ROBOTS_TOKEN
from rori_spiders.politeness.robots_policy import RobotsFile, read_robots_txt
from rori_spiders.urls.canonical import origin_of

#: Product tokens, as their makers document them: those that take pages for answers, and those that take them to train.
AGENTS = (
    "Google-Extended", "OAI-SearchBot", "ChatGPT-User", "PerplexityBot", "Perplexity-User", "Claude-SearchBot",
    "Claude-User", "DuckAssistBot", "MistralAI-User", "Meta-ExternalFetcher", "YouBot",
    "GPTBot", "ClaudeBot", "anthropic-ai", "Claude-Web", "CCBot", "Applebot-Extended", "Meta-ExternalAgent",
    "Bytespider", "cohere-ai", "cohere-training-data-crawler", "AI2Bot", "Amazonbot", "Diffbot", "omgili",
)  # fmt: skip
_AGENT_LINE = re.compile(r"^([ \t]*user[- ]?agent[ \t]*:[ \t]*)([^\s#]*)", re.IGNORECASE | re.MULTILINE)
_NOBODY = "nobody-at-all"


def closed_to(robots: str, url: str) -> list[str]:
    """The agents of AI that the file *robots* names, and may not have *url*."""
    return [agent for agent, file in _files(robots, origin_of(url)) if not file.allows(url)]


@lru_cache(maxsize=64)
def _files(robots: str, origin: str) -> tuple[tuple[str, RobotsFile], ...]:
    """Of each agent that is named, the file as it is for that agent."""
    named = {line[2].lower() for line in _AGENT_LINE.finditer(robots)}
    return tuple((agent, _for(agent, robots, origin)) for agent in AGENTS if agent.lower() in named)


def _for(agent: str, robots: str, origin: str) -> RobotsFile:
    """The rules that name *agent*, read as if they named us: our parser knows the groups of one product alone."""

    def renamed(line: re.Match[str]) -> str:
        return line[1] + (ROBOTS_TOKEN if line[2].lower() == agent.lower() else _NOBODY)

    text = _AGENT_LINE.sub(renamed, robots)
    return read_robots_txt(origin, status=200, body=text.encode(), at=datetime.min.replace(tzinfo=UTC))
