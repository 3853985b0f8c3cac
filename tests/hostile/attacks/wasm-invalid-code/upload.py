import wasmtime


def build():
    text = '(module (memory (export "memory") 1) (func (export "_start") (drop (i32.const 7))))'
    return bytes(wasmtime.wat2wasm(text)).replace(b"\x41\x07\x1a", b"\x44\x07\x1a")
