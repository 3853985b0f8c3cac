"""Plays the first legal move."""


def agent(observation, configuration):
    return observation["legal"][0]
