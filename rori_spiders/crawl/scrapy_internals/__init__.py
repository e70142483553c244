"""All that this program uses of Scrapy's and Twisted's private parts. The linter allows it in this package alone
(SLF001 and PLC2701 in ``pyproject.toml``).

Checked against Scrapy 2.19.0 and Twisted 26.10.0: read these modules again before either is upgraded.
"""
