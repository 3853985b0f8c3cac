"""Evolve: breeds programs inside the compiled engines, against guides and against each other.

    growth, variation, recursive, vectors   new trees, and trees made of trees
    selection, breeding                     who becomes a parent, and how a generation follows
    meetings, guides                        who plays against whom, and what comes of it
    fitness, ranking                        what a population's games are worth
    domain, domains/                        what is evolved: six parts per game
    islands, evolution                      generations, one after the other
    run, checkpoint, designation, reports   a run in a folder, from its settings to its champion
    simplification, analysis, plots, export what an evolved program is

Imports the engines, and nothing of the ladder's: that is spoken to over HTTP.
"""
