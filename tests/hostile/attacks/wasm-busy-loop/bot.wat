(func (export "_start") (local $n i32)
  (loop $l (br $l)))
