"""What a person accepts: pages that a run held because most of their text, or they with many others, were gone.

``accepting.py`` takes one page through: ``reading.py`` makes it from the bytes that were kept, ``comparing.py`` says
what it is to the text that is held now, ``settling.py`` records it, ``judging.py`` says how the run then stands.
``counts.py`` takes a run that found too few pages as it is.
"""

from rori_spiders.acceptance.accepting import Accepted, Acceptor, Desk
from rori_spiders.acceptance.counts import SUSPECT, accept_count, renew_summary
from rori_spiders.acceptance.declining import Declined
from rori_spiders.acceptance.settling import By

__all__ = ["SUSPECT", "Accepted", "Acceptor", "By", "Declined", "Desk", "accept_count", "renew_summary"]
