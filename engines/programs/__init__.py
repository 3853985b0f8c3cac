"""Programs: typed trees as data, their text, and the code that runs them inside compiled kernels.

    types       types of values             trees   nodes, programs and architectures of games
    primitives  functions and terminals     text    S-expressions
    code        trees as three-address code that `interpreter` runs

No code here depends on a game. A game defines an `Architecture`, fills the inputs and carries out
effects.
"""
