#!/bin/sh
# Runs the server from its sources, with the memory settings of quarterdeckd.
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=131072
here=$(dirname "$(readlink -f "$0")")
exec node --max-semi-space-size=2 --heap-growing-percent=20 --conditions=@quarterdeck/source "$here/main.ts"
