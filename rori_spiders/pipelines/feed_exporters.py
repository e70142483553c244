"""Scrapy's exporters of feeds (``-o``, FEEDS) for items that hold other people's text, and one for Parquet.

JSON and XML have an envelope as it is nested; CSV and Parquet have a column for each field, by its path
(``source.url``). Texts are harmless: no control characters, no cell of a CSV file that begins a formula.
"""

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from itemadapter.adapter import ItemAdapter
from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)
from scrapy.utils.serialize import ScrapyJSONEncoder

from rori_spiders.envelope.flat_rows import envelope_columns, flatten_envelope
from rori_spiders.exceptions import UsageError
from rori_spiders.runtime.control_characters import escape_control_characters
from rori_spiders.runtime.table_files import ParquetWriter, format_csv_cell, require_pyarrow

# What XML 1.0 cannot hold, whatever its escape (https://www.w3.org/TR/xml/#charsets).
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _SafeEncoder(ScrapyJSONEncoder):
    def encode(self, o: Any) -> str:
        return escape_control_characters(super().encode(o))


class SafeJsonItemExporter(JsonItemExporter):
    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.encoder = _SafeEncoder(**self._kwargs)


class SafeJsonLinesItemExporter(JsonLinesItemExporter):
    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.encoder = _SafeEncoder(**self._kwargs)


class SafeXmlItemExporter(XmlItemExporter):
    """An element for each field; one without a value is empty. Characters that XML cannot hold become U+FFFD."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        return _xml_value(super().serialize_field(field, name, value))


def _xml_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _xml_value(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_xml_value(part) for part in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return _NOT_IN_XML.sub("\ufffd", "" if value is None else str(value))


class FlatCsvItemExporter(CsvItemExporter):
    """A column for each field of an envelope. Their names stand in a file without items, too, and once in any."""

    def __init__(self, file: BytesIO, include_headers_line: bool = True, **kwargs: Any) -> None:
        super().__init__(file, False, **kwargs)
        self._has_names = include_headers_line and not _has_content(file)

    def start_exporting(self) -> None:
        chosen = self.fields_to_export or [column.name for column in envelope_columns()]
        self.fields_to_export = chosen
        if self._has_names:
            self.csv_writer.writerow(chosen.values() if isinstance(chosen, Mapping) else chosen)

    def export_item(self, item: Any) -> None:
        super().export_item(_flatten(item))

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        return "" if value is None else format_csv_cell(value)


class ParquetItemExporter(BaseItemExporter):
    """A typed column for each field of an envelope, or those that ``fields`` names. Needs pyarrow.

    Raises UsageError where it is not installed, for a field that an envelope has not, and for a file that has content:
    a Parquet file cannot be appended to.
    """

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        require_pyarrow()
        if _has_content(file):
            raise UsageError("a Parquet file cannot be appended to: overwrite it with -O FILE, or name another file")
        columns = {column.name: column for column in envelope_columns()}
        chosen = list(columns) if self.fields_to_export is None else list(self.fields_to_export)
        if unknown := [name for name in chosen if name not in columns]:
            raise UsageError(f"an envelope has no field {', '.join(unknown)}; docs/reference/envelope.md lists them")
        self._places = [list(columns).index(name) for name in chosen]
        self._rows: list[list[Any]] = []
        self._writer = ParquetWriter(file, [columns[name] for name in chosen])

    def export_item(self, item: Any) -> None:
        row = flatten_envelope(ItemAdapter(item).asdict())
        self._rows.append([row[place] for place in self._places])
        if len(self._rows) >= _ROWS_OF_A_GROUP:
            self._write()

    def finish_exporting(self) -> None:
        self._write()
        self._writer.close()

    def _write(self) -> None:
        self._writer.write_rows(self._rows)
        self._rows.clear()


#: Pages that wait in memory for their row group: some 10 MB.
_ROWS_OF_A_GROUP = 100


def _flatten(item: Any) -> dict[str, Any]:
    values = flatten_envelope(ItemAdapter(item).asdict())
    return {column.name: value for column, value in zip(envelope_columns(), values, strict=True)}


def _has_content(file: BytesIO) -> bool:
    return file.seekable() and file.tell() > 0
