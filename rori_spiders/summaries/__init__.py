"""What a crawl came to (specification §3.4, step 5): a row of the ledger and a JSON file in the staging area.

``listed.py`` reads what the publisher lists, ``coverage.py`` says what became of it, ``document.py`` puts it in order.
The file is written by ``stores/summaries.py``, from the row, whenever that can be done.
"""

from rori_spiders.summaries.coverage import Coverage
from rori_spiders.summaries.document import METHODS, make
from rori_spiders.summaries.listed import pages_in, sitemaps_of
from rori_spiders.summaries.notes import found_nothing

__all__ = ["METHODS", "Coverage", "found_nothing", "make", "pages_in", "sitemaps_of"]
