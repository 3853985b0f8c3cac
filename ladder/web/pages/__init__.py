"""The HTML pages and their forms."""
