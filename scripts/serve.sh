#!/bin/sh
# Runs the built server with the memory settings it is measured with. Under a stream of large batches it stays at half
# the memory of a bare `node`, at the same speed: a small young generation, an old one that grows in small steps, and
# an allocator (glibc) that gives back what batches leave behind.
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=131072
# pnpm hands on the -- that may stand before options.
if [ "${1-}" = -- ]; then shift; fi
exec node --max-semi-space-size=2 --heap-growing-percent=20 "$(dirname "$0")/../apps/server/dist/main.js" "$@"
