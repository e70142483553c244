"""Scrapy commands, one module each, named as typed. Each parses options, calls a step, and prints.

Scrapy imports this room before anything else, whatever was typed: from here on nothing is logged that is not redacted,
and Ctrl-C is answered with a word.
"""

from rori_spiders.runtime import redacted_output

redacted_output.install_redaction()
