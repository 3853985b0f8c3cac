import wasmtime


def build():
    return bytes(wasmtime.wat2wasm('(module (import "env" "system" (func (param i32))))'))
