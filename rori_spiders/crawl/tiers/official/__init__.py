"""Official APIs of publishers (eCFR, Federal Register). To add one: a class like `api.OfficialApi`, and
`registry.py`.
"""
