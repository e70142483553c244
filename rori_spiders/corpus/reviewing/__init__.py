"""What people do with a run of the corpus: decide about URLs, approve texts, approve the whole, give it up."""
