"""What a model has made of a text, judged against that text: nothing changed, lost or added passes. Steps."""
