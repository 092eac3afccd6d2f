// Gives groups of earlier rules the fingerprint that their newest text has by the rules of today, so that new lines
// find them: they keep their state, mutes and history. Where several groups become one, the oldest open one gets the
// lines; the others keep their former fingerprint, which no line has any more.
import { type Database, type SyncSql, statement, type Tx } from '@quarterdeck/core/db';
import { fingerprint } from '../../fingerprint/fingerprint.ts';
import { addFingerprints, GROUP_ID, IS_ANYWHERE, moveFingerprints } from '../tables/fingerprint-index.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { ANY_SOURCE } from '../tables/totals.ts';
import { Counters } from './counters.ts';

/** Version of the rules: the beginning of each fingerprint. */
const VERSION = fingerprint('').slice(0, 1);
/** Name of the setting with the version of all groups, or with the place that the change has reached. */
const RULES = 'errlog_rules';
const GET = statement('SELECT value FROM setting WHERE name = ?');
const SET = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
const ANY_GROUP = statement('SELECT 1 AS found FROM errlog LIMIT 1');

/** Groups of one write. */
const SLICE = 500;

/** Place in the change: open groups come first, then those that are left. */
interface Place {
  readonly pass: 'open' | 'left';
  /** Id of the last group of this pass. */
  readonly id: number;
}

interface Group {
  readonly id: number;
  readonly src: number;
  readonly app_id: number;
  readonly level: number;
  readonly fingerprint: string;
  readonly service: string | null;
  readonly log: string;
}

const groupsWhere = (condition: string) =>
  statement((dialect) => {
    const from = dialect === 'sqlite' ? 'errlog NOT INDEXED' : 'errlog';
    return `SELECT id, src, app_id, level, fingerprint, service, log FROM ${from} WHERE id > ? AND ${condition}
      ORDER BY id LIMIT ${SLICE}`;
  });
const GROUPS = {
  open: groupsWhere("state <> 'resolved'"),
  // A group may have been opened meanwhile: all that still have a former fingerprint.
  left: groupsWhere(`fingerprint NOT LIKE '${VERSION}%'`),
};

/** Tells whether groups have fingerprints of earlier rules. Intake must wait for {@link refingerprint} then. */
export async function hasOldFingerprints(db: Database): Promise<boolean> {
  if ((await db.read.sql.get<{ value: string }>(GET, RULES))?.value === VERSION) return false;
  if ((await db.read.sql.get(ANY_GROUP)) !== undefined) return true;
  await db.write((tx) => tx.sql.run(SET, RULES, VERSION));
  return false;
}

/** Changes all groups in slices. Goes on where an earlier run was stopped. */
export async function refingerprint(db: Database, stopped: () => boolean): Promise<void> {
  for (let isDone = false; !isDone && !stopped(); ) {
    isDone = await db.write((tx) => changeSlice(tx, db), { bulk: true });
  }
}

/** Changes the groups of one slice; returns whether they were the last ones. */
async function changeSlice(tx: Tx, { dialect }: Database): Promise<boolean> {
  await lockGroups(tx, dialect);
  const reached = (await tx.sql.get<{ value: string }>(GET, RULES))?.value;
  if (reached === VERSION) return true;
  const place = readPlace(reached);
  if (place === undefined) await begin(tx, dialect);
  const { pass, id } = place ?? { pass: 'open', id: 0 };
  const groups = await tx.sql.all<Group>(GROUPS[pass], id);
  const { sync } = tx.sql;
  if (sync === undefined) await changeSet(tx, groups);
  else await changeRows(tx, sync, groups);
  const last = groups.at(-1);
  if (last !== undefined) await tx.sql.run(SET, RULES, placeText({ pass, id: last.id }));
  else if (pass === 'open') await tx.sql.run(SET, RULES, placeText({ pass: 'left', id: 0 }));
  else {
    if (sync === undefined) await tx.sql.run(RECOUNT);
    await tx.sql.run(SET, RULES, VERSION);
  }
  return last === undefined && pass === 'left';
}

const placeText = ({ pass, id }: Place) => `${VERSION} ${pass} ${id}`;

function readPlace(text: string | undefined): Place | undefined {
  const [version, pass, id] = (text ?? '').split(' ');
  return version === VERSION && (pass === 'open' || pass === 'left') ? { pass, id: Number(id) } : undefined;
}

const CLEAR_COUNT = statement(`DELETE FROM errlog_total WHERE src = ${ANY_SOURCE}`);
const CLEAR_INDEX = ['new', 'old'].map((name) =>
  statement({ sqlite: `DELETE FROM errlog_fingerprint_${name}`, postgresql: '' }),
);
const RECOUNT = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog_total (src, app_id, level, service, state, n)
    SELECT ${ANY_SOURCE}, app_id, level, coalesce(service, ''), '', count(DISTINCT fingerprint)
    FROM errlog GROUP BY 2, 3, 4`,
});

/** Empties what is filled again group by group: the index on SQLite, which is cheaper than a change of each entry. */
async function begin(tx: Tx, dialect: Database['dialect']): Promise<void> {
  await tx.sql.run(CLEAR_COUNT);
  if (dialect === 'sqlite') for (const clear of CLEAR_INDEX) await tx.sql.run(clear);
}

const HOLDER = statement({ sqlite: `SELECT ${GROUP_ID} AS id`, postgresql: '' });
const UPDATE = statement('UPDATE errlog SET fingerprint = ? WHERE id = ?');

async function changeRows(tx: Tx, sql: SyncSql, groups: readonly Group[]): Promise<void> {
  const counters = new Counters();
  const holder = ({ src, level, app_id }: Group, print: string) =>
    sql.get<{ id: number | null }>(HOLDER, print, level, app_id, src)?.id ?? undefined;
  for (const group of groups) {
    if (holder(group, group.fingerprint) === group.id) continue;
    const { level, app_id: appId } = group;
    const service = group.service ?? '';
    const wanted = fingerprint(group.log, service);
    const print = holder(group, wanted) === undefined ? wanted : group.fingerprint;
    if (sql.get(IS_ANYWHERE, print, level, appId) === undefined) counters.distinctErrors({ appId, level, service }, 1);
    if (print !== group.fingerprint) sql.run(UPDATE, print, group.id);
    addFingerprints(sql, group.id, group.id);
  }
  moveFingerprints(sql, groups.at(-1)?.fingerprint ?? '');
  await counters.apply(tx);
}

const SLICE_SET = 'jsonb_to_recordset($1::jsonb) AS g(id int8, fingerprint text, level int, app_id int, src int)';
const TAKEN = statement({
  sqlite: '',
  postgresql: `SELECT g.id FROM ${SLICE_SET} JOIN errlog e ON e.fingerprint = g.fingerprint AND e.level = g.level
    AND e.app_id = g.app_id AND e.src = g.src`,
});
const UPDATE_SET = statement({
  sqlite: '',
  postgresql: `UPDATE errlog e SET fingerprint = g.fingerprint FROM ${SLICE_SET} WHERE e.id = g.id`,
});

async function changeSet({ sql }: Tx, groups: readonly Group[]): Promise<void> {
  const wanted = new Map<string, { id: number; fingerprint: string; level: number; app_id: number; src: number }>();
  for (const { id, src, app_id, level, service, log } of groups) {
    const print = fingerprint(log, service ?? '');
    const key = `${print},${level},${app_id},${src}`;
    if (!wanted.has(key)) wanted.set(key, { id, fingerprint: print, level, app_id, src });
  }
  const rows = [...wanted.values()];
  const taken = new Set((await sql.all<{ id: number }>(TAKEN, JSON.stringify(rows))).map(({ id }) => id));
  const free = rows.filter(({ id }) => !taken.has(id));
  if (free.length > 0) await sql.run(UPDATE_SET, JSON.stringify(free));
}
