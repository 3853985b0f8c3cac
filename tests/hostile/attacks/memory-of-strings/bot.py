def agent(observation, configuration):
    text = "x"
    while True:
        text += text
