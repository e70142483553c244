"""Scrapy's deprecated names are what they are without the import's short cut, and `inspect` is left as it was."""

from __future__ import annotations

import inspect

from scrapy.core.downloader import contextfactory, tls

import rori_spiders.crawl.scrapy_internals.tls_import  # noqa: F401


def test_tls_import_deprecated_classes_keep_their_module() -> None:
    assert contextfactory.ScrapyClientContextFactory.__module__ == contextfactory.__name__
    assert contextfactory.AcceptableProtocolsContextFactory.__module__ == contextfactory.__name__
    assert tls.ScrapyClientTLSOptions.__module__ == tls.__name__


def test_tls_import_leaves_stack_whole() -> None:
    assert [frame.function for frame in inspect.stack()][:1] == ["test_tls_import_leaves_stack_whole"]
