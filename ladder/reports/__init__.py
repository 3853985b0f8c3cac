"""Use cases that explain results: the career of a bot, and bots against each other."""
