; Uses every primitive, random numbers among them: scores agree with Robocode's in the mean.
(program tanks
  (tree ahead
    (Add (Mul 150.0 Random)
      (IfGreater EnemyDistance (Div MaxX 4.0)
        (Sub EnemyDistance 100.0)
        (Neg (Abs (Mul 90.0 (Cos (Add X Y))))))))
  (tree turn
    (Add EnemyBearing
      (IfGreater EnemyEnergy Energy
        (ArcCos (Sin Heading))
        (ArcSin (Div (Mul EnemyVelocity (Sin (Sub EnemyHeading EnemyBearing))) 14.0)))))
  (tree gun
    (IfPositive (Fire (IfGreater EnemyDistance (Mul MaxY 0.5) 1.5 3.0))
      (Sub Zero (Add 0.3 (Mul 0.05 Random)))
      Zero)))
