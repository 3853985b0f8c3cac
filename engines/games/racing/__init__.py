"""Car races: the physics of RARS, the Robot Auto Racing Simulator, in compiled kernels."""
