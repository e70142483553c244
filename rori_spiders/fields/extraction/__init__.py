"""Extract fields from a page by a language model: split it, ask, ground the answers, merge. Start at
`page_extraction.py`.
"""
