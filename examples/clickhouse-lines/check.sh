#!/bin/sh
# Runs the tests of the store, and of the features that read lines, over ClickHouse. README.md says which do not pass.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -d examples/clickhouse-lines/node_modules ] || (cd examples/clickhouse-lines && npm install --no-package-lock)

features=apps/server/src/features
# One process has one folder of ClickHouse.
LINE_ENGINE=$PWD/examples/clickhouse-lines/engine.ts CLICKHOUSE_DIR=$work \
  node_modules/.bin/vitest run --project sqlite --maxWorkers=1 \
  --testNamePattern '^(?!.*(by a split of the lines|that share a word to a new group|forgets old lines;))' \
  apps/server/test/store $features/line $features/errlog $features/alert $features/suspects $features/ledger "$@"
