(program tanks
  (tree ahead (Add
    (Mul
      (Sub
        MaxY
        (IfGreater
          (Sub
            MaxY
            (IfGreater
              (Fire MaxX)
              (ArcSin (Sin (ArcCos EnemyBearing)))
              (ArcSin (Fire MaxY))
              MaxY))
          (Sin (ArcCos EnemyBearing))
          (ArcCos (ArcSin (Sin (ArcCos (ArcCos (Sub X EnemyDistance))))))
          MaxY))
      (Add
        (Mul
          (Sub
            MaxY
            (IfGreater
              (Sub (Fire MaxY) MaxX)
              (ArcSin (Sin (ArcCos EnemyBearing)))
              (ArcCos (Sin (ArcCos EnemyBearing)))
              MaxY))
          (Add MaxX (ArcSin MaxY)))
        (Sub (Add (Fire (ArcSin (Sin (ArcCos EnemyBearing)))) MaxY) MaxX)))
    (Mul EnemyBearing Energy)))
  (tree turn (IfGreater
    (IfPositive EnemyBearing MaxX -0.44512663844296707)
    (IfGreater
      (Sin Y)
      (Sub
        -0.45961197813177257
        (Sub
          (Mul EnemyBearing -0.5665648024451748)
          (IfGreater (ArcSin EnemyHeading) (Sin Y) Heading EnemyDistance)))
      (IfGreater
        (IfGreater
          (Add (Sub MaxX Random) (IfPositive EnemyBearing MaxX -0.8223535777316172))
          (Sin
            (ArcCos
              (IfGreater
                (ArcSin EnemyHeading)
                (Mul EnemyBearing -0.7174517677081974)
                (Div EnemyEnergy Zero)
                (Abs (ArcSin (IfPositive EnemyBearing MaxX -0.363649345813419))))))
          EnemyHeading
          EnemyDistance)
        (IfPositive
          EnemyBearing
          (IfGreater
            (IfGreater (ArcSin EnemyHeading) (Sin EnemyHeading) Heading EnemyDistance)
            (ArcSin
              (ArcSin
                (IfGreater
                  (Add -0.5315358883215566 EnemyDistance)
                  (Mul X MaxY)
                  (Div EnemyEnergy Zero)
                  (Mul (Mul X MaxY) (Sin MaxY)))))
            (IfGreater
              (Neg EnemyEnergy)
              (IfPositive Y EnemyEnergy -0.3829939280951423)
              (Sin Y)
              (Sin X))
            MaxY)
          -0.7290008136397207)
        (IfGreater (Sin X) (Sin Y) (Sin Y) (Sin X))
        (Cos EnemyEnergy))
      (Mul
        EnemyDistance
        (IfGreater
          MaxY
          (Mul X MaxY)
          (IfGreater
            (IfGreater
              (ArcSin EnemyHeading)
              (Mul (Mul X MaxY) (Add EnemyVelocity EnemyVelocity))
              Heading
              EnemyDistance)
            (ArcSin
              (ArcSin
                (IfGreater
                  (Add -0.5315358883215566 EnemyDistance)
                  (Mul X MaxY)
                  (Div EnemyEnergy Zero)
                  (Mul (Mul X MaxY) (Sin MaxY)))))
            (IfGreater (Neg EnemyEnergy) (Add EnemyVelocity EnemyVelocity) (Sin Y) (Sin X))
            MaxY)
          (Mul
            (IfPositive
              EnemyBearing
              (IfPositive EnemyBearing MaxX -0.44512663844296707)
              -0.0648356765902976)
            (Add EnemyVelocity EnemyVelocity)))))
    (Sub
      -0.4463508006180465
      (Sub (Neg (IfGreater EnemyVelocity Heading MaxX EnemyDistance)) MaxX))
    (ArcCos
      (IfGreater
        (ArcSin EnemyHeading)
        (Mul EnemyBearing -0.5665648024451748)
        (Div EnemyEnergy Zero)
        (Abs (ArcSin (IfPositive EnemyBearing MaxX -0.7164625744266611)))))))
  (tree gun (Add
    (Sub
      -0.6848668413957278
      (Div
        (Div
          (Div (Sub -0.6848668413957278 (Div (ArcSin Zero) MaxX)) Zero)
          (Div
            (Div (ArcSin Zero) (Div (ArcSin Zero) (Div (Div (ArcSin X) Energy) (ArcSin Zero))))
            (Cos Zero)))
        -0.6848668413957278))
    (ArcSin
      (IfPositive
        (Sub
          (Sub -0.6848668413957278 (Div X -0.6552579782512996))
          (Sub -0.6848668413957278 Zero))
        (ArcSin (ArcSin Zero))
        Zero)))))
