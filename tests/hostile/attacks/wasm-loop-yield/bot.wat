(func (export "_start")
  (loop $l (drop (call $yield)) (br $l)))
