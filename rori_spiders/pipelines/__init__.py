"""The item pipeline of pages."""
