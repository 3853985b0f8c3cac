"""Chess: rules on bitboards, exchanges, evaluations, formats and pictures, and three games.

Square a1 is bit 0, b1 bit 1, a2 bit 8, h8 bit 63. Positions are seen by the side to move: when
Black moves, the ranks are reversed, so the mover's pawns always go up.
"""
