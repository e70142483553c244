"""Client of a language model behind any OpenAI-compatible server, with key rotation, timeouts and a budget."""
