(program tanks
  (tree ahead MaxY)
  (tree turn (IfGreater
    (Fire X)
    (Cos (Add MaxY Random))
    (IfGreater
      (Fire X)
      (Cos (Add MaxY Random))
      (IfPositive
        EnemyVelocity
        EnemyBearing
        (Mul (Sin (ArcSin (Fire Y))) (Fire (IfPositive Zero EnemyEnergy Heading))))
      (IfPositive EnemyVelocity (Add MaxY Random) (Cos EnemyVelocity)))
    (Cos
      (IfPositive
        EnemyVelocity
        (Add MaxY Random)
        (IfPositive
          EnemyVelocity
          (Add MaxY Random)
          (Mul (Cos (Add MaxY Random)) 0.7310495588886042))))))
  (tree gun -0.06471885236202746))
