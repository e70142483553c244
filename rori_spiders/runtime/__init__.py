"""Code that every process uses: redaction of secrets, log formats, child processes, plurals."""
