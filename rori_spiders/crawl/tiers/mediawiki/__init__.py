"""The `mediawiki` tier, and the queries and answers of the MediaWiki action API."""
