// A batch into SQLite: row by row, each a prepared statement of a microsecond or two.
import { type Door, type Statement, statement } from '@quarterdeck/core/db';
import { magnitudeOf } from '../upkeep/errlog.state.ts';
import { type GroupBatch, KNOWN, type Known, type Recorder, type Repeat, SET_STATE } from './errlog.batch.ts';
import { packOccurrences } from './occurrence-chunk.ts';

const FIND = statement(
  `SELECT ${KNOWN} FROM errlog e
   WHERE e.fingerprint = ? AND e.level = ? AND e.app_id = ? AND e.src = ?`,
);
const ELSEWHERE = statement('SELECT 1 AS found FROM errlog WHERE fingerprint = ? AND level = ? AND app_id = ? LIMIT 1');
const INSERT_GROUP = statement(
  `INSERT INTO errlog (src, node_type, app_id, level, fingerprint, log, count, magnitude, first_seen, log_time, arrived, state_since)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);
const INSERT_CHUNK = statement(
  'INSERT INTO errlog_chunk (errlog_id, from_time, to_time, n, data) VALUES (?, ?, ?, ?, ?)',
);

/** What an update of a group touches, beside its count. SQLite writes each index of a column that is named anew. */
const LATER = 1;
const EARLIEST = 2;
const TEXT = 4;
const STALE = 8;
const MAGNITUDE = 16;

/** One statement per combination; the values follow in the same order, the id last. */
const UPDATES: readonly Statement[] = Array.from({ length: 32 }, (_, mask) => {
  const parts = [
    'count = count + ?',
    mask & LATER ? 'log_time = ?' : '',
    mask & EARLIEST ? 'first_seen = ?' : '',
    mask & TEXT ? 'log = ?' : '',
    mask & STALE ? 'text_stale = TRUE' : '',
    mask & MAGNITUDE ? 'magnitude = ?' : '',
  ];
  return statement(`UPDATE errlog SET ${parts.filter((part) => part !== '').join(', ')} WHERE id = ?`);
});

/** Stores the groups of a batch. */
export async function storeRows(tx: Door, groups: readonly GroupBatch[], recorder: Recorder): Promise<void> {
  const { sql } = tx;
  for (const group of groups) {
    const { src, appId, level, fingerprint } = group;
    const known = await sql.get<Known>(FIND, fingerprint, level, appId, src);
    let id: number;
    if (known === undefined) {
      const first = (await sql.get(ELSEWHERE, fingerprint, level, appId)) === undefined;
      const { nodeType, log, count, firstSeen, logTime } = group;
      const values = [
        ...[src, nodeType, appId, level, fingerprint, log, count, magnitudeOf(count)],
        ...[firstSeen, logTime, recorder.nowS, recorder.nowS],
      ];
      id = Number((await sql.run(INSERT_GROUP, ...values)).lastInsertRowid);
      recorder.created(id, group, first);
    } else {
      id = known.id;
      await updateRow(tx, await recorder.repeated(known, group), recorder.nowS);
    }
    const { firstSeen, logTime, occurrences } = group;
    await sql.run(INSERT_CHUNK, id, firstSeen, logTime, occurrences.length, packOccurrences(occurrences, firstSeen));
  }
}

async function updateRow({ sql }: Door, { known, group, state }: Repeat, nowS: number): Promise<void> {
  const values: (string | number)[] = [group.count];
  let mask = 0;
  const touch = (bit: number, ...value: (string | number)[]) => {
    mask |= bit;
    values.push(...value);
  };
  if (group.logTime > known.log_time) touch(LATER, group.logTime);
  if (group.firstSeen < known.first_seen) touch(EARLIEST, group.firstSeen);
  // Lines that arrive late count, but the newest text stays.
  if (group.logTime >= known.log_time) {
    touch(TEXT, group.log);
    if (!known.text_stale) touch(STALE);
  }
  const magnitude = magnitudeOf(known.count + group.count);
  if (magnitude !== magnitudeOf(known.count)) touch(MAGNITUDE, magnitude);
  await sql.run(UPDATES[mask] as Statement, ...values, known.id);
  if (state !== known.state) await sql.run(SET_STATE, state, nowS, known.id);
}
