"""Which pages belong to the corpus: by a person's word, by rules, by a model; each with the reason. Steps."""
