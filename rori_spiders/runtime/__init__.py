"""What every process of this program uses: redaction of secrets, log formats, child processes, plurals."""
