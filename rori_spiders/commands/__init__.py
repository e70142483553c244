"""What a user types: one module a command, its name the command's. Each parses options, calls a step, and prints.

Scrapy imports this room before anything else, whatever was typed: from here on nothing is logged that is not redacted.
"""

from rori_spiders.redaction import printing

printing.guard()
