// The table of lines in ClickHouse. Batches append lines to the database, in the transaction that counts them; they are
// copied from there before each read, and leave the database some minutes later.
import { createHash } from 'node:crypto';
import { type Database, statement } from '../../packages/core/src/db/open/index.ts';
import { storeSetting } from '../../packages/core/src/db/sql/index.ts';
import { EventLoopYield } from '../../packages/core/src/threads/event-loop-yield.ts';
import type { LineEngineDeps } from '../../packages/store/src/index.ts';
import { LineSources } from '../../packages/store/src/lines/line-sources.ts';
import { replaceSegments, segmentAfter, stretchOf } from '../../packages/store/src/packing/segment-table.ts';
import { DamageLog } from '../../packages/store/src/segments/damage-log.ts';
import { SegmentReader } from '../../packages/store/src/segments/segment-reader.ts';
import { lockGroups } from '../../packages/store/src/tables/group-lock.ts';
import { allFields } from '../../packages/store/src/tables/occurrence-fields.ts';
import { lastLineId, type StoredSegment } from '../../packages/store/src/tables/segment-rows.ts';
import { type ClickHouse, openClickHouse } from './chdb.ts';

/** Lines of one insert: few inserts make few parts. */
const ROWS_AT_ONCE = 50_000;
const SEGMENTS_AT_ONCE = 500;

/** Name of the setting with the id up to which lines have left the database. */
const MOVED_TO = 'clickhouse_moved_to';
const REMAINING = statement(
  `SELECT coalesce((SELECT CAST(value AS int8) FROM setting WHERE name = '${MOVED_TO}'), 0) AS moved,
     coalesce((SELECT min(id) FROM errlog_segment), 0) AS first`,
);
const OLD = statement(
  'SELECT id, last_id, n, to_time FROM errlog_segment WHERE last_id <= ? AND to_time < ? ORDER BY id LIMIT ?',
);

/** A row of the table: a line with what is known of its group and its source. */
export interface LineRow {
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  readonly level: number;
  readonly log: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Id of the group that the line was stored in. */
  readonly group: number;
  readonly src: number;
  readonly host: string;
  readonly node_type: number;
  readonly node_id: number;
  readonly service: string;
  readonly app: number;
  readonly req: string;
  readonly count: number;
}

const columns = (codec: string) => `
  id UInt64 ${codec}, time Int64 ${codec}, level UInt8, log String CODEC(ZSTD(3)),
  fields Map(LowCardinality(String), String) CODEC(ZSTD(3)), group UInt64 CODEC(ZSTD(3)), src UInt32,
  host LowCardinality(String), node_type Int32, node_id Int64, service LowCardinality(String), app UInt32,
  req String CODEC(ZSTD(3)), count UInt32 CODEC(ZSTD(3)),
  INDEX ids id TYPE minmax, INDEX groups group TYPE bloom_filter GRANULARITY 4,
  INDEX grams lower(log) TYPE ngrambf_v1(4, 65536, 3, 0) GRANULARITY 4`;

const tableOf = (name: string) => `CREATE TABLE IF NOT EXISTS ${name} (${columns('CODEC(Delta, ZSTD(1))')})
  ENGINE = MergeTree ORDER BY (time, id) SETTINGS fsync_after_insert = 1, old_parts_lifetime = 1`;

/** The lines of one database. */
export class LineTable {
  readonly name: string;
  readonly clickHouse: ClickHouse;
  readonly #db: Database;
  readonly #deps: LineEngineDeps;
  /** Id up to which all lines are copied, and the first one that is known not to be removed from the database. */
  #copiedTo = 0;
  #heldFrom = 0;
  #last: Promise<unknown> | undefined;
  readonly #eventLoop = new EventLoopYield();

  constructor(deps: LineEngineDeps, folder: string) {
    this.clickHouse = openClickHouse(folder);
    this.#deps = deps;
    this.#db = deps.db;
    this.name = `lines_${createHash('sha256').update(JSON.stringify(deps.db.readerSettings)).digest('hex').slice(0, 16)}`;
  }

  /** Runs work after all earlier work, while nothing is copied. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    this.#last ??= this.#open();
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Copies the lines that were stored before this call. */
  async copy(): Promise<void> {
    await this.inOrder(() => this.#copy());
  }

  /**
   * Takes lines from before a time, Unix seconds, out of the database. The newest segment stays: it says which line is
   * the last.
   */
  moveOld(beforeS: number, stopped: () => boolean): Promise<void> {
    return this.inOrder(async () => {
      const { sql } = this.#db.read;
      const newest = await lastLineId(sql);
      const upTo = Math.min(await this.#copy(), newest - 1);
      while (!stopped()) {
        const old = await sql.all<{ id: number; last_id: number; n: number }>(OLD, upTo, beforeS, SEGMENTS_AT_ONCE);
        // Segments between these stay.
        const next = old.findIndex(({ id }, i) => i > 0 && id !== (old[i - 1]?.last_id ?? 0) + 1);
        const run = next < 0 ? old : old.slice(0, next);
        if (run.length === 0) return;
        await this.#db.write(async (tx) => {
          await lockGroups(tx, this.#db.dialect);
          if (await replaceSegments(tx, this.#db.dialect, stretchOf(run), []))
            await storeSetting(tx, MOVED_TO, String(run.at(-1)?.last_id ?? 0));
        });
      }
    });
  }

  async #copy(): Promise<number> {
    const { sql } = this.#db.read;
    const last = await lastLineId(sql);
    // Lines behind the last one of the database are from before a restore.
    if (last < this.#copiedTo) {
      await this.remove(`id > ${last}`);
      this.#copiedTo = last;
      this.#heldFrom = 0;
    }
    const { moved = 0, first = 0 } = (await sql.get<{ moved: number; first: number }>(REMAINING)) ?? {};
    // Retention has removed the lines between those that were moved and those that remain.
    if (first > this.#heldFrom) {
      await this.remove(`id > ${moved} AND id < ${first}`);
      this.#heldFrom = first;
    }
    let rows: Buffer[] = [];
    for (let at = this.#copiedTo; at < last; ) {
      const segment = await segmentAfter(sql, at);
      if (segment === undefined) break;
      await this.#addLines(segment, at, rows);
      at = segment.last_id;
      if (rows.length < ROWS_AT_ONCE && at < last) continue;
      if (rows.length > 0) await this.clickHouse.insert(this.name, rows);
      rows = [];
      this.#copiedTo = at;
    }
    return this.#copiedTo;
  }

  /** Removes rows for good. */
  async remove(condition: string): Promise<void> {
    await this.clickHouse.run(`ALTER TABLE ${this.name} DELETE WHERE ${condition} SETTINGS mutations_sync = 1`);
  }

  async #open(): Promise<void> {
    await this.clickHouse.run(tableOf(this.name));
    const [row] = await this.clickHouse.select<{ last: number }>(`SELECT max(id) AS last FROM ${this.name}`);
    this.#copiedTo = row?.last ?? 0;
  }

  /** Adds the lines of a segment behind a line, as JSON. Lines that are damaged are noted and left out. */
  async #addLines(segment: StoredSegment, after: number, rows: Buffer[]): Promise<void> {
    const damage = new DamageLog();
    try {
      const reader = new SegmentReader(segment);
      const sources = new LineSources(this.#db.read.sql);
      await sources.load(reader.groups.map(({ src }) => src));
      for (let place = 0; place < segment.n; place += 1) {
        await this.#eventLoop.pause();
        const { id, reqId: req, fields, ...line } = reader.line(place);
        const group = reader.groups[reader.numbers.group[place] ?? 0];
        if (id <= after || group === undefined) continue;
        const { id: groupId, appId: app, level, src, service } = group;
        const { host = '', nodeType = 0, nodeId = -1 } = sources.get(src, id) ?? {};
        const row = {
          ...{ ...line, id, level, group: groupId, src, host, node_type: nodeType, node_id: nodeId, service, app, req },
          fields: allFields(fields, line.log),
        } satisfies LineRow;
        rows.push(Buffer.from(`${JSON.stringify(row)}\n`));
      }
    } catch (error) {
      damage.note(error, { from: segment.from_time, to: segment.to_time });
      this.#deps.noteDamage(damage.segments);
    }
  }
}
