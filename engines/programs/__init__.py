"""Programs: typed trees as data, their text, and the code that runs them inside compiled kernels.

    types       what a value may be         trees   nodes, programs and what a game wants of them
    primitives  what trees are made of      text    S-expressions
    code        trees as three-address code that `interpreter` runs

Nothing here knows a game. A game gives an `Architecture`, fills the inputs and carries out effects.
"""
