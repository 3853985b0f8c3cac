"""Heavy runs that prove claims of the documentation; `make prove` runs them all."""
