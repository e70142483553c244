"""The envelope: the immutable JSON document staged for one changed page, and its name in the staging area.

In: an ``Envelope`` (`crawl/envelope.py` makes it). Out: its bytes (`render_envelope`), its path
(`choose_envelope_path`), and the lines of the logs about it (`render_index_line`, `render_error_line`).
Fields: ``docs/reference/envelope.md``.
"""

from rori_spiders.envelope.file_names import FileOwner, choose_envelope_path, url_slug
from rori_spiders.envelope.log_lines import render_error_line, render_index_line
from rori_spiders.envelope.models import Envelope, envelope_json_schema, parse_envelope, render_envelope, render_schema

__all__ = [
    "Envelope",
    "FileOwner",
    "choose_envelope_path",
    "envelope_json_schema",
    "parse_envelope",
    "render_envelope",
    "render_error_line",
    "render_index_line",
    "render_schema",
    "url_slug",
]
