"""Pages of the content management systems that agencies use, made by template: every part labelled by construction.

`shells` holds what surrounds a page, `walls` what stands in a page's place and pages that only speak of such things,
`structure` the parts of a page of an agency. Each is split by template and by wording into a development half and a
sealed half. The sealed half is never looked at page by page: its figures are totals.
"""
