(program reversi (depth 2) (tree value Mobility))
