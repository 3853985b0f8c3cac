"""Operators: random trees, variation, selection, weights, and breeding a generation."""
