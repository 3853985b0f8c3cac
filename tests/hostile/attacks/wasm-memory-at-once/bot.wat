(func (export "_start") (local $n i32)
  (if (i32.eq (memory.grow (i32.const 60000)) (i32.const -1)) (then (unreachable)))
  (call $exit (i32.const 0)))
