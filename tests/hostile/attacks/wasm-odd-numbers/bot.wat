(data (i32.const 300) "{\22move\22:NaN}\0a")
(func (export "_start") (local $n i32)
  (i32.store (i32.const 16) (i32.const 300))
  (loop $l (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))(drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8))) (br $l)))
