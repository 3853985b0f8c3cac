"""A run from its settings to its champion: generations, checkpoints, reports, analysis."""
