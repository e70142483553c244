"""The demo site: that it is built from the law's text faithfully, and served like a real one."""
