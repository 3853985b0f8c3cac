"""Fitness: the games of a population, and their value for each individual."""
