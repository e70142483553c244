"""Exporters of feeds: harmless text, typed columns, what cannot be written."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from itemadapter.adapter import ItemAdapter
from pyarrow import parquet

from rori_spiders.crawl.envelope import build_envelope
from rori_spiders.envelope import Envelope
from rori_spiders.exceptions import UsageError
from rori_spiders.items import FrontierUrl, PageItem
from rori_spiders.pipelines.feed_exporters import (
    FlatCsvItemExporter,
    ParquetItemExporter,
    SafeJsonLinesItemExporter,
    SafeXmlItemExporter,
)
from rori_spiders.pipelines.page import register_adapter
from tests.envelope.factories import a_change, a_conversion, an_origin

STAGED = build_envelope(converted=a_conversion(), change=a_change(), **an_origin()).model_dump(mode="json")
FORMULA = '=HYPERLINK("http://evil.example")'


@pytest.fixture(autouse=True)
def _adapter() -> None:
    register_adapter()


def item(title: str | None) -> PageItem:
    document = STAGED | {"page_metadata": STAGED["page_metadata"] | {"title": title}}
    return PageItem(
        FrontierUrl("run", "a", "http://a.example/"), "captured", envelope=Envelope.model_validate(document)
    )


def export(exporter: type[Any], *items: PageItem, **options: Any) -> bytes:
    out = BytesIO()
    writer = exporter(out, encoding="utf-8", **options)
    writer.start_exporting()
    for one in items:
        writer.export_item(one)
    writer.finish_exporting()
    return out.getvalue()


def test_page_item_adapter_shows_envelope_as_staged() -> None:
    adapter = ItemAdapter(item("A"))
    assert adapter.asdict() == item("A").envelope.model_dump(mode="json")  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="does not change"):
        adapter["source"] = {}


def test_page_item_adapter_without_envelope_has_no_value() -> None:
    assert ItemAdapter(PageItem(FrontierUrl("run", "a", "http://a.example/"), "failed")).asdict() == {}


def test_csv_exporter_formula_and_lists_are_harmless_cells() -> None:
    text = export(FlatCsvItemExporter, item(FORMULA)).decode()
    [row] = csv.DictReader(StringIO(text))
    assert row["page_metadata.title"] == f"'{FORMULA}"
    assert json.loads(row["page_metadata.links_internal"]) == STAGED["page_metadata"]["links_internal"]
    assert (row["integrity.content_changed"], row["page_metadata.author"]) == ("true", "")
    assert "None" not in text


def test_csv_exporter_without_items_has_the_names_of_its_columns() -> None:
    whole = export(FlatCsvItemExporter, item("A")).decode().partition("\r\n")[0]
    assert export(FlatCsvItemExporter).decode() == f"{whole}\r\n"
    assert export(FlatCsvItemExporter, fields_to_export=["source.url"]) == b"source.url\r\n"
    assert export(FlatCsvItemExporter, fields_to_export={"source.url": "address"}) == b"address\r\n"
    assert export(FlatCsvItemExporter, include_headers_line=False) == b""


def test_csv_exporter_fields_select_and_rename_columns() -> None:
    fields = {"source.url": "address", "page_metadata.title": "title"}
    assert export(FlatCsvItemExporter, item("A"), fields_to_export=fields).decode().splitlines() == [
        "address,title",
        f"{STAGED['source']['url']},A",
    ]


def test_csv_exporter_appended_file_has_one_line_of_names() -> None:
    out = BytesIO(export(FlatCsvItemExporter, item("A")))
    out.seek(0, 2)
    writer = FlatCsvItemExporter(out, encoding="utf-8")
    writer.export_item(item("B"))
    writer.finish_exporting()
    assert [row["page_metadata.title"] for row in csv.DictReader(StringIO(out.getvalue().decode()))] == ["A", "B"]


def test_json_lines_exporter_control_characters_are_escaped() -> None:
    line = export(SafeJsonLinesItemExporter, item("A\u202eB")).decode()
    assert "\u202e" not in line
    assert json.loads(line)["page_metadata"]["title"] == "A\u202eB"


def test_xml_exporter_missing_value_is_empty_and_document_is_well_formed() -> None:
    root = ElementTree.fromstring(export(SafeXmlItemExporter, item("A\x0b\ufffeB"), item(None)))
    titles = [one.findtext("page_metadata/title") for one in root]
    assert titles == ["A\ufffd\ufffdB", ""]
    assert root[0].findtext("integrity/content_changed") == "true"


def test_parquet_exporter_columns_are_typed() -> None:
    table = parquet.read_table(BytesIO(export(ParquetItemExporter, item(FORMULA), item(None))))
    assert table["page_metadata.title"].to_pylist() == [FORMULA, None]
    types = {name: str(table.schema.field(name).type) for name in ("scrape.timestamp", "scrape.http_status")}
    assert types == {"scrape.timestamp": "timestamp[us, tz=UTC]", "scrape.http_status": "int64"}
    assert str(table.schema.field("page_metadata.keywords").type).startswith("list<")
    assert table.schema.field("source.url").metadata[b"description"]


def test_parquet_exporter_fields_select_columns() -> None:
    data = export(ParquetItemExporter, item("A"), fields_to_export=["source.url", "page_metadata.title"])
    assert parquet.read_table(BytesIO(data)).column_names == ["source.url", "page_metadata.title"]
    with pytest.raises(UsageError, match=r"no field nope"):
        export(ParquetItemExporter, item("A"), fields_to_export=["nope"])


def test_parquet_exporter_existing_content_is_refused() -> None:
    out = BytesIO(b"PAR1")
    out.seek(0, 2)
    with pytest.raises(UsageError, match="cannot be appended"):
        ParquetItemExporter(out)
