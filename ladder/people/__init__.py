"""Use cases of accounts, and the rules for names."""
