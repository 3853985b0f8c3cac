"""Evolve: breeds programs inside the compiled engines, against guides and against each other.

    growth, variation, recursive            new trees, and trees made of trees
    vectors, sums                           weights, and programs that have nothing else
    selection, breeding                     who becomes a parent, and how a generation follows
    meetings, field, boards                 who plays against whom, and what comes of it
    guides, ladder_client                   opponents by name, and the ladder over HTTP
    fitness, ranking                        what a population's games are worth
    domain, domains/                        what is evolved: six parts per game
    islands, evolution, statistics          generations, one after the other
    run, checkpoint, designation, progress  a run in a folder, from its settings to its champion
    simplification, analysis, inspection    what evolution has made, and how
    plots, export, bench, cli               pictures, other languages, speeds, the command

Imports the engines, and nothing of the ladder's: that is spoken to over HTTP.
"""
