(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
(import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
(import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "args_get" (func $arguments (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_sync" (func $sync (param i32) (result i32)))
(memory (export "memory") 1)
(data (i32.const 0) "\00\10\00\00\00\80\00\00")  ;; 32 KiB from 4096, to read into
(data (i32.const 16) "\40\00\00\00\0d\00\00\00")  ;; 13 bytes from 64, to write
(data (i32.const 64) "{\"move\":\"1\"}\0a")
