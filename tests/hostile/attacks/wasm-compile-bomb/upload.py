import wasmtime


def build():
    """A function of tens of thousands of blocks, each of which joins all locals."""
    locals_ = "(local " + "i64 " * 2000 + ")"
    body = "".join(
        f"(block (br_if 0 (i32.const {n % 2})) (local.set {n % 2000} (i64.const {n})))"
        for n in range(30_000)
    )
    text = f'(module (memory (export "memory") 1) (func (export "_start") {locals_} {body}))'
    return bytes(wasmtime.wat2wasm(text))
