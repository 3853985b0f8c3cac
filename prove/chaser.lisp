; Drives at what it sees and shakes its gun about it. Arithmetic only: the same scores as in Robocode.
(program tanks
  (tree ahead (Sub EnemyDistance 100.0))
  (tree turn EnemyBearing)
  (tree gun (IfPositive (Fire 3.0) -0.3 Zero)))
