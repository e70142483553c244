"""Two texts of one page compared as a person reads them: section by section, words, cells, and what only moved.

`compare` is the door. Two texts that are not the same never have an empty difference: what no reader sees (blank lines,
escapes, invisible characters) is said in words. Deterministic, and bounded in time also for tables of megabytes.
"""

from rori_spiders.content.differences.compare import compare
from rori_spiders.content.differences.difference import Cell, Change, Difference, Mark, Place, SectionChange, Words

__all__ = ["Cell", "Change", "Difference", "Mark", "Place", "SectionChange", "Words", "compare"]
