"""Real pages whose values were read off by hand (``hand_*.toml``); the pages lie in a folder that is given."""

from __future__ import annotations

import gzip
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.fields.constructed import HALVES
from benchmarks.fields.samples import Sample, Statement
from rori_spiders.content.convert import convert
from rori_spiders.fields.schema import define_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.models import FieldDefinition

#: Sentences and lines of a page with a figure in them: what a lie is taken from.
_ASIDE = re.compile(r"[^.!?\n|]{15,160}\d[^.!?\n|]{0,120}")
_MOST_ASIDES = 6


def hand_samples(folder: Path) -> list[Sample]:
    """The pages of both halves that lie in *folder*."""
    samples = []
    for half in HALVES:
        read = tomllib.loads((Path(__file__).parent / f"hand_{half}.toml").read_text("utf-8"))
        sets = {one["name"]: define_fields(one["fields"]) for one in read["set"]}
        samples += [_sample(one, half, sets[one.pop("set")], folder / one.pop("file")) for one in read["page"]]
    return samples


def _sample(stated: dict[str, Any], half: str, fields: Sequence[FieldDefinition], path: Path) -> Sample:
    body = path.read_bytes()
    html = (gzip.decompress(body) if path.suffix == ".gz" else body).decode("utf-8", "replace")
    name = path.name.partition(".")[0]
    url = f"https://www.example.gov/{name}"
    values = {field: [Statement(*one) for one in many] for field, many in stated.items()}
    markdown = convert(html.encode(), url=url, content_type="text/html").markdown
    quoted = " ".join(one.quote for many in values.values() for one in many)
    asides = [one[0].strip() for one in _ASIDE.finditer(re.sub(r"\]\(\S*\)", "", markdown).replace("*", ""))]
    asides = [one for one in asides if "http" not in one and one not in quoted][:_MOST_ASIDES]
    return Sample(f"hand-{name}", half, url, html, fields, values, asides=asides)
