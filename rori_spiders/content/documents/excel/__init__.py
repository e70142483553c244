"""Excel workbooks to markdown tables."""
