"""Use cases of matches: pairing, leasing, recording results, listing, replays, challenges."""
