// Gives groups of earlier rules the fingerprint that their newest text has by the rules of today, so that new lines
// find them: they keep their state, mutes and history. Where several groups become one, the oldest open one gets the
// lines; the others keep their former fingerprint, which no line has any more.
//
// On SQLite a thread does it, so that the server answers meanwhile. The index of fingerprints keeps the former entries
// beside the new ones and loses them at the end, page by page: they are in an order that has nothing to do with ids.
import { type Database, type Dialect, type SqlTx, type SyncSql, statement } from '@quarterdeck/core/db';
import { CHOSEN, fingerprint } from '@quarterdeck/core/fingerprint';
import { onPostgres, onSqlite } from '@quarterdeck/core/sql';
import { noteCorrection } from '../tables/corrections.ts';
import { addFingerprints, firstWith, GROUP_ID, IS_ANYWHERE, moveFingerprints } from '../tables/fingerprint-index.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { Counters } from './counters.ts';
import { countFormerError, removeFormerEntries } from './former-fingerprints.ts';
import type { IsLastSlice } from './refingerprint.worker.ts';

/** Version of the rules: the beginning of each fingerprint. Former fingerprints come before it in binary order. */
const VERSION = fingerprint('').slice(0, 1);
/** Name of the setting with the version of all groups, or with the place that the change has reached. */
const RULES = 'errlog_rules';
const GET = statement('SELECT value FROM setting WHERE name = ?');
const SET = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
const ANY_GROUP = statement('SELECT 1 AS found FROM errlog LIMIT 1');

/** Groups of one write. */
const SLICE = 1_000;

const THREAD = new URL(`./refingerprint.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Steps of the change: open groups come first, then those that are left, then the former entries of the index. */
const STEPS = ['open', 'left', 'index'] as const;

/** Place in the change. */
interface Place {
  readonly step: (typeof STEPS)[number];
  /** The last id of this step, or its last fingerprint. */
  readonly after: string;
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

/** Finds the end of a slice among all groups: a step that skips most of them must not read them all at once. */
const LAST_OF_SLICE = statement(
  `SELECT max(id) AS id FROM (SELECT id FROM errlog WHERE id > ? ORDER BY id LIMIT ${SLICE}) AS slice`,
);
const groupsWhere = (condition: string) =>
  statement((dialect) => {
    const from = dialect === 'sqlite' ? 'errlog NOT INDEXED' : 'errlog';
    return `SELECT id, src, app_id, level, fingerprint, service, log FROM ${from}
      WHERE id > ? AND id <= ? AND fingerprint NOT LIKE '${VERSION}%' AND fingerprint NOT LIKE '${CHOSEN}%' AND ${condition}
      ORDER BY id`;
  });
const GROUPS = {
  open: groupsWhere("state <> 'resolved'"),
  // A group may have been opened meanwhile: all that still have a former fingerprint.
  left: groupsWhere('TRUE'),
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
  // Without the thread the next write fails, and the caller tries again.
  const thread = db.openThread?.<never, IsLastSlice>({ file: THREAD, settings: undefined, onLost: () => {} });
  const change = () => thread?.write() ?? db.write((tx) => changeSlice(tx, db.dialect), { bulk: true });
  try {
    for (let isDone = false; !isDone && !stopped(); ) isDone = await change();
  } finally {
    await thread?.close();
  }
}

/** Changes the groups of one slice; returns whether it was the last one. */
export async function changeSlice(tx: SqlTx, dialect: Dialect): Promise<boolean> {
  await lockGroups(tx, dialect);
  const reached = (await tx.sql.get<{ value: string }>(GET, RULES))?.value;
  if (reached === VERSION) return true;
  const counters = new Counters();
  const next = await changeFrom(tx, readPlace(reached), counters);
  await counters.apply(tx);
  if (next === undefined) await changeAliases(tx);
  await tx.sql.run(SET, RULES, next === undefined ? VERSION : placeText(next));
  return next === undefined;
}

const OLD_ALIASES = statement(
  `SELECT id, service, sample FROM errlog_alias WHERE sample <> '' AND fingerprint NOT LIKE '${CHOSEN}%'`,
);
const SET_ALIAS = statement('UPDATE errlog_alias SET fingerprint = ? WHERE id = ?');

/** Corrections by people hold for the same lines under the rules of today. */
async function changeAliases(tx: SqlTx): Promise<void> {
  const aliases = await tx.sql.all<{ id: number; service: string; sample: string }>(OLD_ALIASES);
  for (const { id, service, sample } of aliases) await tx.sql.run(SET_ALIAS, fingerprint(sample, service), id);
  if (aliases.length > 0) await noteCorrection(tx);
}

const placeText = ({ step, after }: Place) => `${VERSION} ${step} ${after}`;

function readPlace(text: string | undefined): Place {
  const [version, name, after = ''] = (text ?? '').split(' ');
  const step = STEPS.find((known) => known === name);
  return version === VERSION && step !== undefined ? { step, after } : { step: 'open', after: '0' };
}

/** Changes what comes after a place; returns the place it has reached, or undefined at the end. */
async function changeFrom(tx: SqlTx, { step, after }: Place, counters: Counters): Promise<Place | undefined> {
  const { sync } = tx.sql;
  if (step === 'index') {
    const last = sync && removeFormerEntries(sync, after, VERSION, counters);
    return last === undefined ? undefined : { step, after: last };
  }
  const id = (await tx.sql.get<{ id: number | null }>(LAST_OF_SLICE, Number(after)))?.id ?? undefined;
  if (id === undefined) return step === 'open' ? { step: 'left', after: '0' } : { step: 'index', after: '' };
  const groups = await tx.sql.all<Group>(GROUPS[step], Number(after), id);
  if (sync === undefined) await changeSet(tx, groups, counters);
  else changeRows(sync, groups, counters);
  return { step, after: String(id) };
}

const HOLDER = onSqlite(`SELECT 1 AS found WHERE ${GROUP_ID} IS NOT NULL`, { numbersMeetColumns: true });
const UPDATE = statement('UPDATE errlog SET fingerprint = ? WHERE id = ?');

function changeRows(sql: SyncSql, groups: readonly Group[], counters: Counters): void {
  let changed: string | undefined;
  for (const { id, src, app_id: appId, level, fingerprint: former, log, ...group } of groups) {
    const service = group.service ?? '';
    const wanted = fingerprint(log, service);
    if (sql.get(IS_ANYWHERE, wanted, level, appId) === undefined) counters.distinctErrors({ appId, level, service }, 1);
    else if (sql.get(HOLDER, wanted, level, appId, src) !== undefined) continue;
    sql.run(UPDATE, wanted, id);
    addFingerprints(sql, id, id);
    countFormerError(sql, { fingerprint: former, level, appId, service }, counters);
    changed = wanted;
  }
  if (changed !== undefined) moveFingerprints(sql, changed);
}

const SLICE_SET =
  'jsonb_to_recordset($1::jsonb) AS g(id int8, fingerprint text, level int, app_id int, src int, service text)';
const onSlice = (text: string) => onPostgres(text, { plannedEachTime: true });
const TAKEN = onSlice(`SELECT g.id FROM ${SLICE_SET} CROSS JOIN LATERAL ${firstWith('group', '1')} e`);
const UPDATE_SET = onSlice(`UPDATE errlog e SET fingerprint = g.fingerprint FROM ${SLICE_SET} WHERE e.id = g.id`);
/** Counts the errors of a slice that no group has. */
const ABSENT = onSlice(
  `SELECT g.app_id, g.level, coalesce(g.service, '') AS service, count(DISTINCT g.fingerprint) AS n FROM ${SLICE_SET}
   WHERE NOT EXISTS ${firstWith('error', '1')} GROUP BY 1, 2, 3`,
);

async function changeSet({ sql }: SqlTx, groups: readonly Group[], counters: Counters): Promise<void> {
  const wanted = new Map<string, Group>();
  for (const { log, ...group } of groups) {
    const print = fingerprint(log, group.service ?? '');
    const key = `${print},${group.level},${group.app_id},${group.src}`;
    if (!wanted.has(key)) wanted.set(key, { ...group, log: '', fingerprint: print });
  }
  const rows = [...wanted.values()];
  const taken = new Set((await sql.all<{ id: number }>(TAKEN, JSON.stringify(rows))).map(({ id }) => id));
  const free = rows.filter(({ id }) => !taken.has(id));
  if (free.length === 0) return;
  const changed = new Set(free.map(({ id }) => id));
  const former = groups.filter(({ id }) => changed.has(id)).map((group) => ({ ...group, log: '' }));
  const count = async (errors: readonly Group[], sign: number) => {
    for (const { app_id: appId, level, service, n } of await sql.all<Absent>(ABSENT, JSON.stringify(errors))) {
      counters.distinctErrors({ appId, level, service }, sign * n);
    }
  };
  await count(free, 1);
  await sql.run(UPDATE_SET, JSON.stringify(free));
  await count(former, -1);
}

interface Absent {
  readonly app_id: number;
  readonly level: number;
  readonly service: string;
  readonly n: number;
}
