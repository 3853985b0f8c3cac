(func (export "_start") (local $n i32)
  (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
  (local.set $n (i32.const 3))
  (loop $l
    (if (i32.eqz (call $write (local.get $n) (i32.const 16) (i32.const 1) (i32.const 8))) (then (drop (call $write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 8))) (call $exit (i32.const 0))))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $l (i32.lt_u (local.get $n) (i32.const 100))))
  (unreachable))
