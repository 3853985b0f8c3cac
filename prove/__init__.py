"""Heavy runs that show what the documentation claims; `make prove` calls them all."""
