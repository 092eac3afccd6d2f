// Queries of the credential check. Every request runs one, so they are prepared: 2 microseconds on SQLite, where the
// same takes 160 through Prisma (decision 031).
import type { ApiToken, Session, User } from '@quarterdeck/core/db';
import { type Sql, statement } from '@quarterdeck/core/db';
import { SEEN_COLUMNS, type SeenRow } from '../features/agent/agent.row.ts';
import { type Columns, selected } from '../sql/columns.ts';

const CREDENTIAL = ['id', 'expireMs', 'lastUsedMs', 'userId'] as const;
const OWNER = ['username', 'role', 'totpSinceMs'] as const;
const SESSION_ONLY = ['createdMs', 'confirmedMs'] as const;
const TOKEN_ONLY = ['name', 'scopes', 'disabled', 'allowedCidrs', 'graceUntilMs'] as const;

/** A credential of a user, with its owner. */
export interface UserCredential
  extends Columns<Session, (typeof CREDENTIAL)[number]>,
    Columns<User, (typeof OWNER)[number]> {
  /** Names of the roles that need a second factor, with commas between; null where the setting is missing. */
  readonly require2fa: string | null;
}

/** A session with its owner. */
export type SessionCredential = UserCredential & Columns<Session, (typeof SESSION_ONLY)[number]>;

/** An API token with its owner. */
export type TokenCredential = UserCredential & Columns<ApiToken, (typeof TOKEN_ONLY)[number]>;

// Three look-ups by key: the credential, its owner and one setting. Only the columns that the check needs are read.
const credentialQuery = (table: string, own: readonly string[], hashColumn: string) =>
  statement(
    `SELECT ${selected([...CREDENTIAL, ...own], 'c.')}, ${selected(OWNER, 'u.')},
       (SELECT value FROM setting WHERE name = 'require_2fa') AS "require2fa"
     FROM ${table} c JOIN "user" u ON u.id = c.user_id WHERE c.${hashColumn} = ? AND NOT u.disabled`,
  );
const SESSION = credentialQuery('session', SESSION_ONLY, 'token_hash');
const API_TOKEN = credentialQuery('api_token', TOKEN_ONLY, 'token_hash');
const REPLACED_API_TOKEN = credentialQuery('api_token', TOKEN_ONLY, 'previous_hash');

const AGENT = statement(`SELECT ${SEEN_COLUMNS} FROM agent WHERE secret_hash = ? AND NOT is_deleted`);
const REPLACED_AGENT = statement('SELECT id FROM agent WHERE previous_hash = ? AND secret_used AND NOT is_deleted');
const ENROLLMENT = statement('SELECT id, expire_ms AS "expireMs" FROM enrollment WHERE token_hash = ?');

/** Reads credentials: `db.read`, or one that gathers reads. */
export interface CredentialReader {
  readonly sql: Pick<Sql, 'get'>;
}

/** Finds the session of a secret, unless its user is disabled. */
export const findSession = ({ sql }: CredentialReader, hash: Uint8Array) => sql.get<SessionCredential>(SESSION, hash);

/** Finds the API token of a secret, unless its owner is disabled. */
export const findApiToken = ({ sql }: CredentialReader, hash: Uint8Array) => sql.get<TokenCredential>(API_TOKEN, hash);

/** Finds the API token whose secret before the last rotation this is, unless its owner is disabled. */
export const findReplacedApiToken = ({ sql }: CredentialReader, hash: Uint8Array) =>
  sql.get<TokenCredential>(REPLACED_API_TOKEN, hash);

/** Finds the agent of a secret, unless it is deleted. */
export const findAgent = ({ sql }: CredentialReader, hash: Uint8Array) => sql.get<SeenRow>(AGENT, hash);

/** Finds the agent that replaced this secret with a new one and has used the new one. */
export const findReplacedAgent = ({ sql }: CredentialReader, hash: Uint8Array) =>
  sql.get<{ id: number }>(REPLACED_AGENT, hash);

/** Finds the enrolment token of a secret. */
export const findEnrollment = ({ sql }: CredentialReader, hash: Uint8Array) =>
  sql.get<{ id: number; expireMs: number }>(ENROLLMENT, hash);
