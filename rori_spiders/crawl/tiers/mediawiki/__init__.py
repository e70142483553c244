"""The `mediawiki` tier, and what the MediaWiki action API is asked and answers."""
