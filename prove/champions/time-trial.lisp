(program time-trial
  (tree speed (Add V (Sub (Mul (Add (Mul (Add V V) AH) One) AH) (Mul V V))))
  (tree steering (Sub
    (Sub
      (Add (Mul 0.4442666647542838 AA) (Mul One (Sub TL TR)))
      (Mul 0.7529614443795996 (Mul 0.8340920333635715 (Div NV V))))
    (Mul
      (Mul
        0.6330444928232482
        (Mul
          0.17314152922094117
          (Add (Sub TL (Mul 0.6368571531409086 AA)) (Sub TL (Mul 0.9484477185219309 AA)))))
      (Mul 1.0 (Neg AH))))))
