(func $deep (call $deep))
(func (export "_start") (local $n i32)
  (call $deep))
