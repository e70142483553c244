"""Compare two versions of a page, for a terminal, a program, or the web page.

``texts`` reads what is compared, ``bounded`` compares it within a time, ``summary`` says it in words, ``document`` is
its one JSON form, ``by_hash`` tells which sections changed without any text.
"""
