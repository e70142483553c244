"""What is said of one site's corpus, as data: a YAML or JSON file beside the manifests, reviewed in git like these.

In: its text. Out: frozen ``SiteRules``, or UsageError, which names every problem. Nothing in it is ever run.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from rori_spiders.corpus.cleaning.rules import CleaningRules
from rori_spiders.corpus.triage.rules import TriageRules
from rori_spiders.corpus.unattended.rules import UnattendedRules  # noqa: TC001  # pydantic
from rori_spiders.exceptions import UsageError
from rori_spiders.manifest import manifest_text
from rori_spiders.manifest.json_yaml import NotationError, read_yaml
from rori_spiders.manifest.problems import Problem, json_path

SCHEMA_URL = "https://rori.dev/schemas/site-rules-v1.json"


class SiteRules(CleaningRules):
    """How the pages of one site become documents of its corpus."""

    triage: TriageRules = Field(default_factory=TriageRules, description="Which pages belong to it")
    entity: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None, description="The agency or product that the site is about: headings may repeat it", examples=["FHA"]
    )
    unattended: UnattendedRules | None = Field(
        None, description="What a draft may change, and be published without a person; left out: nothing"
    )


def read_rules(text: str, origin: str = "site rules") -> SiteRules:
    """The rules in *text*; nothing in it: those that hold where a site says nothing. Raises UsageError."""
    if not text.strip():
        return SiteRules()
    try:
        raw, problems = manifest_text.clean_value(read_yaml(text))  # JSON is YAML, too
    except NotationError as error:
        raise UsageError(f"{origin}: {error}") from None
    found = [*problems]
    try:
        rules = SiteRules.model_validate(raw)
    except ValidationError as error:
        found += [Problem(tuple(one["loc"]), one["msg"]) for one in error.errors(include_url=False)]
    if found:
        raise UsageError("\n".join(f"{origin}: {json_path(one.path)}: {one.message}" for one in found))
    return rules


def json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a file of site rules, which editors understand."""
    names = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_URL, "title": "RORI site rules"}
    return {**SiteRules.model_json_schema(), **names}
