// Reads what hosts were like at a moment: facts, certificates, last changes, vitals, labels and services.
import { HOST_CHANGE_KINDS, type HostChangeKind, RESOURCE_LIMITS, RESOURCES, type Resource } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { cached, inJson } from '@quarterdeck/core/sql';
import type { Fleet } from '../agent/records/fleet-at.repo.ts';
import { hourOf } from '../vitals/vitals.repo.ts';
import type { OddField } from './odd-rank.ts';

/** Column of a fact -> its name in histories. */
const FACTS = {
  kernel: 'system_version.kernel',
  kernel_package: 'system_version.kernel_package',
  kernel_distro: 'system_version.kernel_distro',
  libc: 'system_version.libc',
  system_name: 'system_name',
  env: 'env',
  package_version: 'package.version',
  stap_version: 'dependency.stap_version',
  odb_version: 'dependency.odb_version',
} as const;

type FactsRow = Readonly<Record<keyof typeof FACTS, string | number>> & { readonly id: number };

const IDS = 'SELECT id FROM agent a WHERE NOT is_deleted ORDER BY id';

/** Ids of all hosts of a fleet, in their order. */
export async function hostsOf({ read }: Database, { clause, values }: Fleet): Promise<number[]> {
  const rows = await read.sql.all<{ id: number }>(cached(`${clause}${IDS}`), ...values);
  return rows.map(({ id }) => id);
}

/** Facts of some hosts of a fleet. An empty fact is not known. */
export async function factFields(db: Database, { clause, values }: Fleet, ids: string): Promise<OddField[]> {
  const columns = Object.keys(FACTS).join(', ');
  const text = cached(`${clause}SELECT id, ${columns} FROM agent a WHERE ${inJson(db.dialect, 'id')}`);
  const rows = await db.read.sql.all<FactsRow>(text, ...values, ids);
  return Object.entries(FACTS).map(([column, field]) => ({
    kind: 'fact',
    field,
    values: new Map(
      rows.flatMap((row) => {
        const value = String(row[column as keyof typeof FACTS]);
        return value === '' ? [] : [[row.id, value] as const];
      }),
    ),
  }));
}

const WITH_LABEL = statement('SELECT agent_id AS id FROM agent_label WHERE name = ? AND value = ?');
const OF_SERVICE = statement(
  `SELECT DISTINCT s.agent_id AS id FROM errlog_total t JOIN source s ON s.id = t.src
   WHERE t.service = ? AND s.agent_id > 0`,
);

const idsOf = (rows: readonly { readonly id: number }[]): Set<number> => new Set(rows.map(({ id }) => id));

export const agentsWithLabel = async ({ read }: Database, name: string, value: string): Promise<Set<number>> =>
  idsOf(await read.sql.all<{ id: number }>(WITH_LABEL, name, value));

/** Agents that have sent errors of a service. */
export const agentsOfService = async ({ read }: Database, service: string): Promise<Set<number>> =>
  idsOf(await read.sql.all<{ id: number }>(OF_SERVICE, service));

/** Certificates that are read, and changes: the latest ones. */
const CERTIFICATES_MAX = 20_000;
const CHANGES_MAX = 20_000;
const CHANGES_MS = 14 * 86_400_000;

const CERTIFICATES = statement(
  (dialect) => `SELECT agent_id AS id, place, subject, fingerprint, expire_ms AS "expireMs", found_ms AS "foundMs",
      former_fingerprint AS "formerFingerprint", former_expire_ms AS "formerExpireMs"
    FROM agent_certificate
    WHERE ${inJson(dialect, 'agent_id')}
      AND place IN (SELECT place FROM agent_certificate WHERE ${inJson(dialect, 'agent_id')})
    LIMIT ?`,
);

interface CertificateRow {
  readonly id: number;
  readonly place: string;
  readonly subject: string;
  readonly fingerprint: string;
  readonly expireMs: number;
  readonly foundMs: number;
  readonly formerFingerprint: string;
  readonly formerExpireMs: number;
}

/**
 * Certificates of hosts at a time, and whether they had expired. Only places that failing hosts have are read.
 *
 * @param ids the hosts, as a JSON array
 */
export async function certificateFields({ read }: Database, ids: string, failing: readonly number[], atMs: number) {
  const byPlace = new Map<string, { which: Map<number, string>; expired: Map<number, string> }>();
  const rows = await read.sql.all<CertificateRow>(CERTIFICATES, ids, JSON.stringify(failing), CERTIFICATES_MAX);
  for (const row of rows) {
    const isFormer = row.foundMs > atMs && row.formerFingerprint !== '';
    const [fingerprint, expireMs] = isFormer
      ? [row.formerFingerprint, row.formerExpireMs]
      : [row.fingerprint, row.expireMs];
    const place = byPlace.get(row.place) ?? { which: new Map<number, string>(), expired: new Map<number, string>() };
    byPlace.set(row.place, place);
    place.which.set(row.id, `${fingerprint} until ${new Date(expireMs).toISOString().slice(0, 10)}`);
    place.expired.set(row.id, expireMs < atMs ? 'expired' : 'valid');
  }
  return [...byPlace].flatMap(([place, { which, expired }]): OddField[] => [
    { kind: 'certificate', field: place, values: which },
    { kind: 'certificate', field: `${place} (validity)`, values: expired },
  ]);
}

/** Kinds of changes whose last one is a state. The others are moments, or have fields of their own. */
const STATES = HOST_CHANGE_KINDS.filter(
  (kind): kind is Exclude<HostChangeKind, 'clock' | 'disk' | 'certificate'> =>
    kind !== 'clock' && kind !== 'disk' && kind !== 'certificate',
);
const CHANGES = statement(
  (dialect) => `SELECT agent_id AS id, kind, field, after FROM agent_change
   WHERE time_ms > ? AND time_ms <= ? AND kind IN (${STATES.map((kind) => `'${kind}'`).join(', ')})
     AND ${inJson(dialect, 'agent_id')}
   ORDER BY time_ms DESC, agent_id DESC, id DESC LIMIT ?`,
);

interface ChangeRow {
  readonly id: number;
  readonly kind: (typeof STATES)[number];
  readonly field: string;
  readonly after: string;
}

/** A hash of a file; the label of its key stands before it, except where that is a key of the host's own. */
const FILE_HASH = /^(?:([0-9a-f]{6}):)?[0-9a-f]{12}(?: \(.*)?$/;

/** Contents of files, or that they were changed, where not all hashes were made under the same key. */
function withComparableHashes(field: OddField): OddField {
  const hashes = [...field.values.values()].map((value) => FILE_HASH.exec(value)).filter((match) => match !== null);
  const labels = new Set(hashes.map(([, label]) => label));
  if (labels.size === 0 || (labels.size === 1 && !labels.has(undefined))) return field;
  return { ...field, values: new Map([...field.values].map(([id]) => [id, 'changed'])) };
}

/** The last changes of hosts up to a time. */
export async function changeFields(
  { read }: Database,
  ids: string,
  atMs: number,
): Promise<{ fields: OddField[]; all: boolean }> {
  const rows = await read.sql.all<ChangeRow>(CHANGES, atMs - CHANGES_MS, atMs, ids, CHANGES_MAX);
  const fields = new Map<string, OddField & { readonly values: Map<number, string> }>();
  for (const { id, kind, field, after } of rows) {
    const key = `${kind} ${field}`;
    const one = fields.get(key) ?? { kind, field, values: new Map<number, string>(), otherwise: '' };
    fields.set(key, one);
    if (!one.values.has(id)) one.values.set(id, after || 'removed');
  }
  const compared = [...fields.values()].map((field) => (field.kind === 'config' ? withComparableHashes(field) : field));
  return { fields: compared, all: rows.length < CHANGES_MAX };
}

const VITALS = statement(
  (dialect) => `SELECT agent_id AS id, ${RESOURCES.map((name) => `max_${name} AS ${name}`).join(', ')}
    FROM agent_vitals WHERE hour = ? AND ${inJson(dialect, 'agent_id')}`,
);

/** Use of resources in the hour of a time: above the usual limit or not. */
export async function vitalsFields({ read }: Database, ids: string, atMs: number): Promise<OddField[]> {
  const rows = await read.sql.all<Readonly<Record<Resource, number>> & { id: number }>(VITALS, hourOf(atMs), ids);
  return RESOURCES.map((resource): OddField => {
    const limit = RESOURCE_LIMITS[resource];
    const wordOf = (tenths: number) => `${tenths > limit * 10 ? 'over' : 'at most'} ${limit} %`;
    const known = rows.filter((row) => row[resource] >= 0);
    return { kind: 'vitals', field: resource, values: new Map(known.map((row) => [row.id, wordOf(row[resource])])) };
  });
}
