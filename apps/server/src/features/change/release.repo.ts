// Queries about the releases of services.
import { statement, type Tx } from '@quarterdeck/core/db';

/** A release of a service in an environment; texts are bounded. */
export interface Release {
  readonly service: string;
  readonly environment: string;
  readonly release: string;
}

/** Releases that are kept: beyond them the oldest ones are forgotten, and begin again with their next event. */
const KEPT_MAX = 50_000;

const FIND = statement('SELECT 1 AS found FROM service_release WHERE service = ? AND environment = ? AND name = ?');
const NEWEST = statement(
  `SELECT name FROM service_release WHERE service = ? AND environment = ? AND name <> ?
   ORDER BY first_ms DESC, name DESC LIMIT 1`,
);
const BEGIN = statement(
  `INSERT INTO service_release (service, environment, name, first_ms) VALUES (?, ?, ?, ?)
   ON CONFLICT (service, environment, name) DO NOTHING`,
);
const REMOVE_OLD = statement(
  `DELETE FROM service_release WHERE first_ms <
   (SELECT first_ms FROM service_release ORDER BY first_ms DESC LIMIT 1 OFFSET ?)`,
);

/** Tells whether a release has begun. */
export const hasBegun = async (
  { sql }: Pick<Tx, 'sql'>,
  { service, environment, release }: Release,
): Promise<boolean> => (await sql.get(FIND, service, environment, release)) !== undefined;

/**
 * Stores the beginning of a release; returns the release before it, `''` for none. Undefined where it had begun: of
 * several servers one stores it.
 */
export async function beginRelease(
  { sql }: Tx,
  { service, environment, release }: Release,
  nowMs: number,
  keptMax = KEPT_MAX,
): Promise<string | undefined> {
  const before = await sql.get<{ name: string }>(NEWEST, service, environment, release);
  const { changes } = await sql.run(BEGIN, service, environment, release, nowMs);
  if (changes === 0) return undefined;
  await sql.run(REMOVE_OLD, keptMax);
  return before?.name ?? '';
}
