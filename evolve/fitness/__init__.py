"""Fitness: who plays whom, and what the games are worth."""
