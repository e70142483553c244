"""The envelope: the immutable JSON document staged for one changed page, and its name in the staging area.

In: what the pipelines know of a page (``build``, ``deleted``). Out: an ``Envelope``, its bytes (``render``), its path
(``path_for``), and the lines that tell of it (``index_line``, ``error_line``). Fields: see ``docs/envelope.md``.
"""

from rori_spiders.content.writable import clean
from rori_spiders.envelope.building import build, deleted
from rori_spiders.envelope.dates import dates_of
from rori_spiders.envelope.lines import error_line, index_line
from rori_spiders.envelope.models import Envelope
from rori_spiders.envelope.naming import Owner, path_for, slug
from rori_spiders.envelope.rendering import parse, render
from rori_spiders.envelope.schema import json_schema, schema_text

__all__ = [
    "Envelope",
    "Owner",
    "build",
    "clean",
    "dates_of",
    "deleted",
    "error_line",
    "index_line",
    "json_schema",
    "parse",
    "path_for",
    "render",
    "schema_text",
    "slug",
]
