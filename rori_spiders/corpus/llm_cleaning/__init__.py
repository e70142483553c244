"""Clean texts by a language model, between guards: a draft in, the tidied text or the draft out, with the reason.
Start at `page_cleaner.py`.
"""
