"""The staging area: where envelopes lie, and the code that reads and writes it.

``store.py`` says what a store can do; ``disk/`` keeps it in a folder, ``s3/`` in a bucket, and ``store_factory.py``
opens either. ``layout.py`` says where what lies. ``envelope_writer.py`` is the order in which a changed page reaches
store and ledger, ``recovery.py`` what a job does first, ``verification/verify.py`` checks everything
against everything.
"""
