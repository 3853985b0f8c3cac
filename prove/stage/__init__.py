"""What the proofs of the ladder share: a field of bots, and the processes of a ladder."""
