"""What site rules may say of which pages belong to the corpus: models, in the manner of the manifest's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from rori_spiders.manifest.base import (
    Glob,  # the same
    Host,  # the same
    StrictModel,
)
from rori_spiders.manifest.models import Many  # noqa: TC001  # pydantic reads annotations when it runs

#: News and blog posts older than so many months stay out: what retrieves them later knows no dates.
RECENT_MONTHS = 18

Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]


class TriageRules(StrictModel):
    """Which pages belong to the corpus. Patterns are globs over path and query, as the manifest has them."""

    include: Many[Glob] = Field(
        (), description="Pages that belong to it, whatever else is said", examples=[["/rules/*"]]
    )
    exclude: Many[Glob] = Field(
        (), description="Pages that do not; this wins over `include`", examples=[["/careers/*"]]
    )
    review: Many[Glob] = Field((), description="Pages that a person decides about", examples=[["/pricing*"]])
    news_sections: Many[Glob] = Field(
        (), description="Pages of news and blogs, beside those known by name", examples=[["/stories/*"]]
    )
    recent_months: int = Field(
        RECENT_MONTHS, ge=0, le=600, description="How old news may be, in months; 0: as old as it likes", examples=[12]
    )
    languages: Annotated[Many[Language], Field(min_length=1)] = Field(("en",), description="Languages of its pages")
    allowed_hosts: Many[Host] = Field((), description="Further hosts, beside those of the sources or the site")
    allowed_parameters: Many[Annotated[str, StringConstraints(min_length=1, max_length=100)]] = Field(
        (), description="Parameters of a query that make another page; pages with others stay out", examples=[["id"]]
    )
    default_decision: Literal["include", "needs_review"] | None = Field(
        None,
        description="What no rule decides, where no model is asked. null: pages of a source are included, for its"
        " manifest was reviewed; those of a mere site are for a person",
    )
