// Counts what is still under another key than the one in use.
import { type Database, type Statement, statement } from '@quarterdeck/core/db';
import { generationSuffix } from '../../auth/secrets.ts';
import { BOOTSTRAP_TOKEN } from '../bootstrap/bootstrap.repo.ts';
import { countEncrypted } from './encrypted.repo.ts';

/** Numbers of one kind. */
export interface KeyUse {
  /** Plural, for a person. */
  readonly what: string;
  /** Number of those that may still be used. */
  readonly inUse: number;
  /** Number of those that have ended, such as expired ones: no key brings them back. */
  readonly ended: number;
}

interface Counted {
  readonly what: string;
  readonly statement: Statement;
  /** True where the condition compares with the time. */
  readonly isTimed: boolean;
}

/** Counts rows whose digest ends with another generation, apart by a condition for those that may still be used. */
const counted = (what: string, table: string, column: string, usable: string): Counted => ({
  what,
  isTimed: usable.includes('?'),
  statement: statement(
    `SELECT COALESCE(sum(CASE WHEN ${usable} THEN 1 ELSE 0 END), 0) AS "inUse", count(*) AS "all"
     FROM ${table} WHERE ${column} IS NOT NULL AND substr(${column}, 33) <> ?`,
  ),
});

const COUNTED: readonly Counted[] = [
  counted('sessions', 'session', 'token_hash', 'expire_ms > ?'),
  counted('API tokens', 'api_token', 'token_hash', '(expire_ms = 0 OR expire_ms > ?)'),
  counted('API tokens before their rotation', 'api_token', 'previous_hash', 'grace_until_ms > ?'),
  counted('agents', 'agent', 'secret_hash', 'NOT is_deleted'),
  counted(
    'enrollment tokens',
    'enrollment',
    'token_hash',
    '(expire_ms = 0 OR expire_ms > ?) AND (uses = 0 OR used < uses)',
  ),
  counted('recovery codes', 'recovery_code', 'code_hash', '1 = 1'),
];

/** Length of the digest in the name of such a setting, without the generation of its key. */
const DIGEST_HEX = 64;
const BOOTSTRAP_NAMES = statement("SELECT name FROM setting WHERE name LIKE 'bootstrap_token:%'");

/** Counts what is under another key than that of a generation. */
export async function readKeyUse(db: Database, generation: number, nowMs: number): Promise<readonly KeyUse[]> {
  const suffix = generationSuffix(generation);
  const uses: KeyUse[] = [];
  for (const { what, statement: count, isTimed } of COUNTED) {
    const row = await db.read.sql.get<{ inUse: number; all: number }>(count, ...(isTimed ? [nowMs] : []), suffix);
    const { inUse = 0, all = 0 } = row ?? {};
    uses.push({ what, inUse: Number(inUse), ended: Number(all) - Number(inUse) });
  }
  const names = await db.read.sql.all<{ name: string }>(BOOTSTRAP_NAMES);
  const end = Buffer.from(suffix).toString('hex');
  const secrets = names.filter(({ name }) => name.slice(BOOTSTRAP_TOKEN.length + DIGEST_HEX) !== end).length;
  const { secondFactors, webhooks } = await countEncrypted(db, generation);
  return [
    ...uses,
    { what: 'tokens of the bootstrap file', inUse: secrets, ended: 0 },
    { what: 'second factors', inUse: secondFactors, ended: 0 },
    { what: 'secrets of webhooks', inUse: webhooks, ended: 0 },
  ];
}
