(func (export "_start") (local $n i32) (local $seen i32)
  (loop $l
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (local.set $n (i32.const 170))
    (loop $fill  ;; 32 KiB each
      (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
      (br_if $fill (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i32.store8 (i32.const 73) (i32.add (i32.const 49) (i32.rem_u (local.get $seen) (i32.const 7))))
    (local.set $seen (i32.add (local.get $seen) (i32.const 1)))
    (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))
    (br $l)))
