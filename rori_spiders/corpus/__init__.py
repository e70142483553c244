"""Turn collected pages into a reviewed, versioned knowledge base (docs/explanation/corpus.md).

`runs/` brings a run through its states: `triage/` selects pages, `cleaning/` applies rules, `llm_cleaning/` asks a
model, `guards/` checks what it did, `auditing/` checks the documents (`documents/`), people review, `publishing/`
writes a version, and `loader/` is the reference loader.
"""
