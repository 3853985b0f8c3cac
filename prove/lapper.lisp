(program time-trial
  (tree speed (Add V (Mul 1.0 (Add 0.1 (Sub (Mul (Add One One) AH) (Mul V V))))))
  (tree steering (Sub (Add (Mul 0.3 AA) (Mul One (Sub TL TR))) (Mul 0.5 (Div NV V)))))
