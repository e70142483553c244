"""A language model behind any OpenAI-compatible server: asked with a key that works, within its time and its money."""
