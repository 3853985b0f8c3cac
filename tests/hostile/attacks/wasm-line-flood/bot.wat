(func (export "_start") (local $n i32)
  (i32.store8 (i32.const 73) (i32.const 57))  ;; a move that is illegal
  (loop $l (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8))) (br $l)))
