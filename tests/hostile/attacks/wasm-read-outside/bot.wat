(func (export "_start") (local $n i32)
  (drop (i64.load (i32.const -8))))
