"""The server: accounts, uploads, matches, ratings, leagues and pages."""
