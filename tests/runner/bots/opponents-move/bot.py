"""Answers with the opponent's last move, altered, which is never legal."""


def agent(observation, configuration):
    return observation["history"][-1] + "!"
