(func (export "_start") (local $n i32)
  (loop $l
    (drop (memory.grow (i32.const 1)))
    (br $l)))
