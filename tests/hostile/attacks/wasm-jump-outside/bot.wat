(table 1 funcref)
(type $t (func))
(func (export "_start") (local $n i32)
  (call_indirect (type $t) (i32.const 99999)))
