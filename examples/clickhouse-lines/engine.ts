// An engine of lines that keeps them in ClickHouse (decision 110). Groups, counts, ledger and receipts stay in the
// database, and the lines of the last minutes.
import { unixSeconds } from '../../packages/core/src/base/times.ts';
import type { LineEngine, LineEngineDeps } from '../../packages/store/src/index.ts';
import { createLineReads } from '../../packages/store/src/lines/create-line-reads.ts';
import type { EraseQuery, EraseReport } from '../../packages/store/src/packing/erase.ts';
import { createPacker } from '../../packages/store/src/packing/packer.ts';
import { readMoved } from '../../packages/store/src/tables/moved-groups.ts';
import { type LineRow, LineTable } from './line-table.ts';
import { TableReader } from './table-reader.ts';

const { CLICKHOUSE_DIR: FOLDER = 'clickhouse', CLICKHOUSE_KEEP_S: KEEP_S } = process.env;
const ROWS_AT_ONCE = 20_000;

/** Opens the engine: the option `openLines` of a server. */
export function openLines(deps: LineEngineDeps): LineEngine {
  const { db, log, now } = deps;
  const table = new LineTable(deps, FOLDER);
  const segments = createPacker(db, deps);
  const run = (stopped: () => boolean) =>
    KEEP_S === undefined ? table.copy() : table.moveOld(unixSeconds(now()) - Number(KEEP_S), stopped);
  return {
    reads: createLineReads({ db, log, now, openReader: () => new TableReader(table, db.read.sql) }),
    packer: {
      ...segments,
      run,
      packAll: () => table.copy(),
      erase: (query, dryRun) => table.inOrder(() => erase(deps, table, segments, query, dryRun)),
      close: () => run(() => false),
    },
  };
}

/** Erases rows of the table, and the lines that are still in the database. A line may be in both. */
async function erase(
  { db }: LineEngineDeps,
  table: LineTable,
  segments: LineEngine['packer'],
  query: EraseQuery,
  dryRun: boolean,
): Promise<EraseReport> {
  const ids = new Set<number>();
  const matches: EraseQuery['matches'] = (line, group) => {
    const isMatch = query.matches(line, group);
    // The newest text of a group is a line with the id 0.
    if (isMatch && line.id > 0) ids.add(line.id);
    return isMatch;
  };
  const report = await segments.erase({ ...query, matches }, dryRun);
  const moved = await readMoved(db.read.sql);
  const touched = new Set(report.touched);
  const own: number[] = [];
  for await (const { group: stored, app: appId, req: reqId, level, src, service, ...line } of allRows(table)) {
    const group = { id: moved.get(stored) ?? stored, level, src, appId, service };
    if (!matches({ ...line, reqId }, group)) continue;
    own.push(line.id);
    touched.add(group.id);
  }
  if (!dryRun && own.length > 0) {
    await table.remove(`id IN (${own})`);
  }
  return { ...report, lines: ids.size, touched };
}

async function* allRows({ clickHouse, name }: LineTable): AsyncGenerator<LineRow> {
  for (let [time, id] = [-1, -1]; ; ) {
    const rows = await clickHouse.select<LineRow>(
      `SELECT * FROM ${name} WHERE time >= ${time} AND (time, id) > (${time}, ${id})
       ORDER BY time, id LIMIT ${ROWS_AT_ONCE}`,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    ({ time, id } = last);
  }
}
