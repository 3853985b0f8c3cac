(func (export "_start") (local $n i32)
  (i64.store offset=4294967295 (i32.const -1) (i64.const -1)))
