"""Our settings (`RORI_*`), where a project's files lie, and which manifest is active. Steps: nothing here needs a
crawler.
"""
