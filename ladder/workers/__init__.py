"""Where matches are played: worker processes of this machine or of a cluster, and compiling."""
