// Statements that count the installation for its metrics.
import { statement, type Tx } from '@quarterdeck/core/db';
import { STATE_SQL, stateParams } from '../features/agent/records/agent-status.repo.ts';
import type { Moment } from '../features/agent/records/listening-window.ts';
import { EXPIRING_MS } from '../features/api-token/api-token.view.ts';

/** Numbers by a label. */
export type Counts = Readonly<Record<string, number>>;

const AGENTS = statement(
  `SELECT status AS label, count(*) AS n FROM (SELECT ${STATE_SQL} AS status FROM agent) AS seen GROUP BY status`,
);
// The rules of `stateOf` in SQL.
const TOKENS = statement(
  `SELECT status AS label, count(*) AS n FROM (SELECT CASE WHEN disabled THEN 'disabled' WHEN expire_ms = 0 THEN 'active'
     WHEN expire_ms <= CAST(? AS bigint) THEN 'expired' WHEN expire_ms - CAST(? AS bigint) <= ${EXPIRING_MS} THEN 'expiring'
     ELSE 'active' END AS status FROM api_token) AS seen GROUP BY status`,
);
const FIRING = statement("SELECT count(*) AS n FROM alert WHERE state = 'firing'");
const SIZE = statement('SELECT pg_database_size(current_database()) AS n');

interface Labelled {
  readonly label: string;
  readonly n: number;
}

const none = (labels: readonly string[]): Counts => Object.fromEntries(labels.map((label) => [label, 0]));
const NO_AGENTS = none(['pending', 'online', 'offline', 'inactive', 'deleted']);
const NO_TOKENS = none(['active', 'expiring', 'expired', 'disabled']);

const countsOf = (rows: readonly Labelled[]): Counts => Object.fromEntries(rows.map(({ label, n }) => [label, n]));

const countOf = async ({ sql }: Tx, query: typeof FIRING) => (await sql.get<{ n: number }>(query))?.n ?? 0;

/** Counts agents by state. */
export const countAgents = async ({ sql }: Tx, moment: Moment): Promise<Counts> => ({
  ...NO_AGENTS,
  ...countsOf(await sql.all<Labelled>(AGENTS, ...stateParams(moment))),
});

/** Counts API tokens by state. */
export const countTokens = async ({ sql }: Tx, nowMs: number): Promise<Counts> => ({
  ...NO_TOKENS,
  ...countsOf(await sql.all<Labelled>(TOKENS, nowMs, nowMs)),
});

/** Counts alerts that are firing. */
export const countFiring = (tx: Tx): Promise<number> => countOf(tx, FIRING);

/** Reads the size of a database of PostgreSQL in bytes. */
export const readSize = (tx: Tx): Promise<number> => countOf(tx, SIZE);
