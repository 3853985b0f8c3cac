(table 100000000 funcref)
(func (export "_start") (local $n i32)
  (unreachable))
