"""Fields: values that a language model draws from pages, each with the quote that it rests on (docs/fields.md)."""
