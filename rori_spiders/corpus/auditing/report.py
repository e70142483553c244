"""The report of an audit, ``reports/audit.json``: what was found, page by page and of the whole set, and the gates.

The same documents give the same report. Its JSON Schema is the model's: ``AuditReport.model_json_schema()``.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.corpus.auditing.finding import Code, Finding, Flag, Gate


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Chunking(_Part):
    """How the loader will cut the text."""

    chunks: int
    tokens: int = Field(description="Of all chunks, with what they repeat")
    largest: int = Field(description="Tokens of the largest chunk")


class PageReport(_Part):
    """One document."""

    page_id: str
    doc_id: str
    url: str
    gate: Gate
    flags: list[Flag]
    chunking: Chunking
    findings: list[Finding]


class Totals(_Part):
    """How many pages; names of gates, flags and codes to numbers of pages. What no page has is left out."""

    pages: int
    chunks: int
    tokens: int
    gates: dict[Gate, int]
    flags: dict[Flag, int]
    codes: dict[Code, int]


class AuditReport(_Part):
    """The whole report, pages by address.

    ``gate`` of the set: `publishable` when every page that is not excluded is; `needs_review` when one of them is for a
    person; `excluded` when something of the set itself blocks, or no page is left: no version can be made of it.
    """

    form: Literal[1] = 1
    domain: str
    run_id: str
    gate: Gate
    totals: Totals
    findings: list[Finding] = Field(description="Of the set itself")
    pages: list[PageReport]
