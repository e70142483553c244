"""Publish an approved corpus as an immutable version that `latest` names, and start the loader that indexes it.

`version_manifest.py` is the format of a version, `version_plan.py` what it will hold, `usage_rights.py` which pages
may not be in it; `publisher.py` writes it, `loader_runner.py` starts the loader, `reconciliation.py` compares a
version with an index.
"""
