"""``scrapy mcp``: a server for programs that speak the Model Context Protocol, on standard input and output."""

import argparse
from functools import partial

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import project_folder
from rori_spiders.exceptions import ActionRefused
from rori_spiders.terminal.command import RoriCommand


class Mcp(RoriCommand):
    examples = ("scrapy mcp",)
    summary = "Serve stored texts to assistants over the Model Context Protocol"
    description = (
        "A server on standard input and output with four read-only tools: search, text_as_of, changes, provenance. "
        "Each answer includes its proof: content hash, time of capture, envelope. It needs the extra `mcp`."
    )

    def answer(self, opts: argparse.Namespace) -> int:
        try:
            from rori_spiders.terminal.comparison.mcp_server import create_server
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "mcp":
                raise
            raise ActionRefused("`scrapy mcp` needs the extra `mcp`: pip install 'rori-collector[mcp]'") from None
        from rori_spiders.comparison.text_index import TextIndex, index_file
        from rori_spiders.staging.store_factory import open_store

        with self.collected_ledger() as ledger:
            index = TextIndex(index_file(self.places.database_url, project_folder(closest_scrapy_cfg())))
            require_source = partial(self.require_sources, ledger)
            create_server(ledger, open_store(self.places.staging), index, self.now, require_source).run("stdio")
        return 0
