"""Use cases of ladders: leaderboards, exports, and rebuilding every rating."""
