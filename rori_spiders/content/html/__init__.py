"""HTML to a clean tree: what is hidden, what is boilerplate, what is the page's own text."""
