"""From an approved corpus to an immutable version that `latest` names, and to the index that loads it.

``version.py`` is the form of a manifest; ``publishing.py`` writes a version, ``rights.py`` says which pages may not be
in one, ``loading.py`` starts the loader, ``reconciling.py`` compares what it holds.
"""
