"""The manifest: which sources are collected, how, how often. Steps: text in, frozen models out, no network.

``loading`` reads and validates; ``models`` says what a manifest may hold; ``catalog`` answers for all manifests at
once; ``scope`` judges URLs; ``versions`` compares; ``schema`` exports the JSON Schema and the prompt.
"""
