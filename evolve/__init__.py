"""Evolution of programs that play games in compiled engines, against guides and each other.

    operators/   random trees, crossover, mutation, selection, breeding, islands, simplification
    fitness/     the games of a population, opponents by name, and fitness from the games
    domain, domains/   the definition of what is evolved: six parts per game
    runs/        generations, a run in a folder, the choice of its champion, reports and analysis
    export, ladder_client   champions in other languages, and the ladder over HTTP
    cli, commands, bench    the `evolve` command

It imports the engines and nothing of the ladder, which it reaches over HTTP.
"""
