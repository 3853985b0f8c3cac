(func $early (loop $l (br $l)))
(start $early)
(func (export "_start") (local $n i32)
  (unreachable))
