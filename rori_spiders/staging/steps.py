"""The order in which changed pages reach the staging area and the ledger. Each step can be repeated.

Pages that are ready at about the same time go through a step together: one transaction for all, files flushed together.

====  =======================================================  =================================================
step  what                                                     a crash after it leaves
====  =======================================================  =================================================
1     transaction A: ``reserve_envelopes`` (path, file hash,   a reservation without a file: dropped
      links)
2     ``write_envelopes``: objects, then the files             a reservation with its file: adopted
3     transaction B: staged, version, page, final              a staged envelope that the index lacks: its line
      state, discovered links, audit                           is appended
4     the index line, ``store.index.append``                   a line whose row is not marked: marked
5     ``mark_indexed``, in batches                             nothing
====  =======================================================  =================================================

Step 1 does not ask the store, which may hang while the ledger is locked: a file that the ledger does not know is met in
step 2, and the page is reserved anew under another name.

A line of the error log is written in the same way: transaction B notes that it is due, until it is on the disk.

An ingestion side that follows the index never sees what transaction B did not record. ``recover`` runs before a job's
first request, and again after it holds its leases; ``verify`` checks everything against everything.
"""

from rori_spiders.staging.envelope_writer import (
    PageToStage,
    Reservation,
    abandon_reservation,
    check_reserved,
    index_envelopes,
    mark_envelopes_staged,
    mark_indexed,
    mark_staged,
    reserve_and_write,
    reserve_envelopes,
    write_envelopes,
)
from rori_spiders.staging.ledger_logs import log_errors
from rori_spiders.staging.recovery import RecoveryResult, recover_staging
from rori_spiders.staging.verification.verify import (
    Finding,
    Sample,
    VerificationProgress,
    VerificationReport,
    VerificationScope,
    verify_staging,
)

__all__ = [
    "Finding",
    "PageToStage",
    "RecoveryResult",
    "Reservation",
    "Sample",
    "VerificationProgress",
    "VerificationReport",
    "VerificationScope",
    "abandon_reservation",
    "check_reserved",
    "index_envelopes",
    "log_errors",
    "mark_envelopes_staged",
    "mark_indexed",
    "mark_staged",
    "recover_staging",
    "reserve_and_write",
    "reserve_envelopes",
    "verify_staging",
    "write_envelopes",
]
