// Removes groups with all that is counted of them.
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { cached, inJson } from '@quarterdeck/core/sql';
import { errorStatement, removeFingerprint } from '../tables/fingerprint-index.ts';
import { removeText } from '../tables/search-index.ts';
import { Counters } from './counters.ts';

interface Group {
  readonly id: number;
  readonly src: number;
  readonly app_id: number;
  readonly level: number;
  readonly fingerprint: string;
  /** Empty is none, or not known. */
  readonly service: string;
  readonly state: string;
}

const DELETE_MINUTES = statement('DELETE FROM errlog_hour WHERE errlog_id = ?');
const DELETE_CORRECTIONS = [
  'DELETE FROM errlog_hour WHERE errlog_id IN (SELECT former_id FROM errlog_moved WHERE errlog_id = ?)',
  'DELETE FROM errlog_moved WHERE errlog_id = ?',
  'DELETE FROM errlog_history WHERE errlog_id = ?',
].map((text) => statement(text));
const DELETE_GROUP = statement('DELETE FROM errlog WHERE id = ?');
const OTHERS = errorStatement((condition) => `SELECT 1 AS found FROM errlog e WHERE ${condition} LIMIT 1`);
const GROUP = "SELECT id, src, app_id, level, fingerprint, coalesce(service, '') AS service, state FROM errlog e WHERE";

/** Removes groups; returns their number. Their lines stay. The caller holds the lock of the groups. */
export async function removeGroups(tx: Tx, dialect: Dialect, ids: readonly number[]): Promise<number> {
  const groups = await tx.sql.all<Group>(cached(`${GROUP} ${inJson(dialect, 'e.id')}`), JSON.stringify(ids));
  const counters = new Counters();
  for (const { id, src, app_id: appId, level, fingerprint, service, state } of groups) {
    await tx.sql.run(DELETE_MINUTES, id);
    for (const remove of DELETE_CORRECTIONS) await tx.sql.run(remove, id);
    await tx.sql.run(DELETE_GROUP, id);
    await removeText(tx, id);
    await removeFingerprint(tx, dialect, { fingerprint, level, appId, src });
    counters.groups({ src, appId, level, service }, state, -1);
    if ((await tx.sql.get(OTHERS, fingerprint, level, appId)) === undefined)
      counters.distinctErrors({ appId, level, service }, -1);
  }
  await counters.apply(tx);
  return groups.length;
}
