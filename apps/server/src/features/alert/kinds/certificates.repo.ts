// Reads the certificates of hosts: those that expire, and those that replaced others.
import { type SqlValue, statement, type Tx } from '@quarterdeck/core/db';
import { inJsonTexts } from '@quarterdeck/core/sql';
import type { Round } from './kind.ts';

/** A certificate at a place of a host. Times are in Unix milliseconds. */
export interface PlacedCertificate {
  readonly agentId: number;
  readonly hostname: string;
  /** 1 while the agent is in maintenance. */
  readonly maintenance: number;
  readonly place: string;
  readonly subject: string;
  readonly issuer: string;
  readonly fingerprint: string;
  readonly expireMs: number;
  readonly foundMs: number;
  readonly formerFingerprint: string;
  readonly formerExpireMs: number;
}

/** A change on a host near the time at which a certificate was replaced. */
export interface NearChange {
  /** Id of the entry in the history of the agent. */
  readonly id: number;
  readonly kind: string;
  readonly timeMs: number;
  /** Name and id of a change from outside; empty and 0 = none. */
  readonly name: string;
  readonly changeId: number;
}

/** Places at most. */
export const PLACES_MAX = 20_000;
/** Places of one statement: some milliseconds. */
const PORTION = 1_000;
const NEAR_MAX = 20;

const SELECT = `SELECT c.agent_id AS "agentId", a.hostname, a.maintenance, c.place, c.subject, c.issuer, c.fingerprint,
  c.expire_ms AS "expireMs", c.found_ms AS "foundMs", c.former_fingerprint AS "formerFingerprint",
  c.former_expire_ms AS "formerExpireMs" FROM agent_certificate c JOIN agent a ON a.id = c.agent_id
  WHERE NOT a.is_deleted`;
// A host that was away for two weeks was turned off.
const EXPIRING = statement(
  `${SELECT} AND a.state <> 'inactive' AND c.expire_ms <= ?
     AND (c.expire_ms, c.agent_id, c.place) > (CAST(? AS bigint), CAST(? AS integer), CAST(? AS text))
   ORDER BY c.expire_ms, c.agent_id, c.place LIMIT ?`,
);
const SUCCESSORS = statement(
  (dialect) => `${SELECT} AND c.former_fingerprint <> '' AND ${inJsonTexts(dialect, 'c.former_fingerprint')}
    ORDER BY c.found_ms, c.agent_id, c.place LIMIT ?`,
);
const REPLACED = statement(
  `${SELECT} AND c.former_fingerprint <> '' AND c.found_ms >= ? ORDER BY c.found_ms, c.agent_id, c.place LIMIT ?`,
);
const NEAR = statement(
  `SELECT id, kind, time_ms AS "timeMs", name, change_id AS "changeId" FROM agent_change
   WHERE agent_id = ? AND time_ms >= ? AND time_ms <= ? AND ((kind = 'certificate' AND field = ?) OR change_id > 0)
   ORDER BY time_ms DESC, id DESC LIMIT ?`,
);

/** Certificates that expire from one time to another one, the first ones first; up to `max` places. */
export async function expiringCertificates(
  { read, eventLoop }: Pick<Round, 'read' | 'eventLoop'>,
  fromMs: number,
  untilMs: number,
  max = PLACES_MAX,
): Promise<PlacedCertificate[]> {
  const found: PlacedCertificate[] = [];
  for (let cursor: SqlValue[] = [fromMs, 0, '']; found.length < max; await eventLoop.pause()) {
    const portion = await read.sql.all<PlacedCertificate>(EXPIRING, untilMs, ...cursor, PORTION);
    for (const certificate of portion) found.push(certificate);
    const last = portion.at(-1);
    if (last === undefined || portion.length < PORTION) break;
    cursor = [last.expireMs, last.agentId, last.place];
  }
  return found;
}

/** Certificates that replaced some others. */
export const successorsOf = ({ sql }: Tx, fingerprints: readonly string[]): Promise<PlacedCertificate[]> =>
  sql.all<PlacedCertificate>(SUCCESSORS, JSON.stringify(fingerprints), PLACES_MAX);

/** Certificates that replaced others since a time. */
export const replacedSince = ({ sql }: Tx, sinceMs: number): Promise<PlacedCertificate[]> =>
  sql.all<PlacedCertificate>(REPLACED, sinceMs, PLACES_MAX);

/** Changes of a host near the replacement of a certificate, the latest first. */
export const changesNear = (
  { sql }: Tx,
  { agentId, place }: Pick<PlacedCertificate, 'agentId' | 'place'>,
  fromMs: number,
  toMs: number,
): Promise<NearChange[]> => sql.all<NearChange>(NEAR, agentId, fromMs, toMs, place, NEAR_MAX);
