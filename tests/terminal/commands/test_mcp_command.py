"""`scrapy mcp`: a real client of the protocol asks each tool, and gets the proof with the answer."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging.job_driver import SOURCE, Job, begin
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from tests.support.project import Project

_QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"words": '"60 days"'}),
    ("search", {"cites": "12 CFR 1024.17"}),
    ("text_as_of", {"url": SITE, "date": f"{NOON:%Y-%m-%d}"}),
    ("provenance", {"url": SITE}),
    ("changes", {"since": "2026-01-01"}),
    ("search", {"cites": "a rule"}),
    ("text_as_of", {"url": f"{SITE}never/", "date": f"{NOON:%Y-%m-%d}"}),
    ("provenance", {"url": f"{SITE}never/"}),
)
#: What each refuses with a sentence: an empty answer would say that there is nothing.
_REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("text_as_of", {"url": "no address", "date": "2026-02-13"}, "not an http or https URL"),
    ("text_as_of", {"url": SITE, "date": "2999-01-01"}, "in the future"),
    ("text_as_of", {"url": SITE, "date": "2026-02-13", "offset": -5}, "offset"),
    ("provenance", {"url": SITE, "date": "2999-01-01"}, "in the future"),
    ("provenance", {"url": SITE, "source": "nowhere"}, "unknown source 'nowhere'"),
    ("changes", {"since": "2999-01-01"}, "in the future"),
    ("changes", {"since": "2026-01-01", "source": "nowhere"}, "unknown source 'nowhere'"),
    ("search", {"words": "rule", "source": "nowhere"}, "unknown source 'nowhere'"),
)


@pytest.fixture
def archive(project: Project) -> Project:
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        job.page(begin(job, SITE)[0], f"Rule\n\nPay within 60 days, as 12 CFR 1024.17(a) says. {SITE}")
    return project


async def _ask(project: Project) -> tuple[set[str], list[Any]]:
    from mcp import Client, StdioServerParameters, stdio_client  # half a second, not for each worker to collect tests

    server = StdioServerParameters(
        command=project.python,
        args=["-m", "scrapy", "mcp"],
        cwd=project.folder,
        env={**os.environ, **project.env},
    )
    async with Client(stdio_client(server)) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        questions = (*_QUESTIONS, *((name, arguments) for name, arguments, _ in _REFUSED))
        return tools, [await client.call_tool(name, arguments) for name, arguments in questions]


@pytest.mark.slow
def test_mcp_tools_answer_with_their_proof(archive: Project) -> None:
    tools, answers = asyncio.run(asyncio.wait_for(_ask(archive), 60))
    assert tools == {"search", "text_as_of", "changes", "provenance"}
    words, cites, text, proof, changes, refused, *unknown = answers[: len(_QUESTIONS)]
    [hit] = words.structured_content["items"]
    assert (hit["source"], hit["url"], hit["version"]) == (SOURCE, SITE, "1-1")
    assert hit["content_hash"].startswith("sha256:") and hit["captured"] and hit["envelope"]
    assert [one["version"] for one in cites.structured_content["items"]] == ["1-1"]
    assert "60 days" in text.structured_content["text"]
    [row] = text.structured_content["proof"]
    assert row["content_hash"] == hit["content_hash"] == proof.structured_content["result"][0]["content_hash"]
    assert changes.structured_content == {"items": [], "versions_not_compared": 1}
    assert refused.is_error and "is not one citation" in refused.content[0].text
    for one in unknown:
        assert one.is_error and "was ever collected" in one.content[0].text
    for answer, (*question, sentence) in zip(answers[len(_QUESTIONS) :], _REFUSED, strict=True):
        assert answer.is_error and sentence in answer.content[0].text, (question, answer.content)
