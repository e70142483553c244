"""Scrapy commands, one module each, named as typed. Each parses options, calls a step, and prints.

Scrapy imports this room before anything else, whatever was typed: from here on nothing is logged that is not redacted,
and Ctrl-C is answered with a word.
"""

from rori_spiders.runtime import redacted_output

redacted_output.install_redaction()

# While it is imported, Scrapy reads the source of every frame above it: a tenth of a command's start, from where it
# would be imported otherwise.
import scrapy.core.downloader.contextfactory  # noqa: E402, F401
