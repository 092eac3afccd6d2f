// Queries of the credential check. Every request runs one, so they are prepared: 2 microseconds on SQLite, where the
// same takes 160 through Prisma (decision 031).
import type { ApiToken, Session, SharedLink, User } from '@quarterdeck/core/db';
import { type Sql, type Statement, statement } from '@quarterdeck/core/db';
import { type Columns, selected } from '@quarterdeck/core/sql';
import { SEEN_COLUMNS, type SeenRow } from '../features/agent/records/agent.row.ts';

const CREDENTIAL = ['id', 'expireMs', 'lastUsedMs', 'userId'] as const;
const OWNER = ['username', 'role', 'totpSinceMs', 'errlogFilter'] as const;
const SESSION_ONLY = ['createdMs', 'confirmedMs', 'ssoId', 'secondFactor'] as const;
const TOKEN_ONLY = ['name', 'scopes', 'disabled', 'allowedCidrs', 'graceUntilMs', 'kind'] as const;
/** The filter of the token: its owner has a column of the same name. */
const TOKEN_FILTER = ', c.errlog_filter AS "ownFilter"';

const LINK_ONLY = ['subject', 'subjectId'] as const;

/** A row that was found by the digest of a secret. */
interface FoundByHash {
  readonly id: number;
  /** The digest it was found by; missing where only one key is accepted. */
  readonly hash?: Uint8Array;
}

/** A credential of a user, with its owner. */
export interface UserCredential
  extends FoundByHash,
    Columns<Session, (typeof CREDENTIAL)[number]>,
    Columns<User, (typeof OWNER)[number]> {
  /** Names of the roles that need a second factor, with commas between; null where the setting is missing. */
  readonly require2fa: string | null;
}

/** A session with its owner. */
export type SessionCredential = UserCredential &
  Columns<Session, (typeof SESSION_ONLY)[number]> & {
    /** Time at which the provider of its sign-in must have confirmed the person again; null without a provider. */
    readonly ssoDueMs: number | null;
  };

/** An API token with its owner. */
export type TokenCredential = UserCredential &
  Columns<ApiToken, (typeof TOKEN_ONLY)[number]> & {
    /** Sources that the token may see besides its owner's filter. */
    readonly ownFilter: string;
  };

/** A read-only link with its author. */
export type LinkCredential = UserCredential & Columns<SharedLink, (typeof LINK_ONLY)[number]>;

/** Digests of a secret, one for each accepted key: one usually, two while a key is rotated. */
export type Hashes = readonly Uint8Array[];

/** A statement for each number of digests. */
type ByHash = (hashes: Hashes) => Statement;

/** Creates the statements of a look-up by digest, from columns and from the rest of the text around the condition. */
function byHash(columns: string, hashColumn: string, text: (columns: string, condition: string) => string): ByHash {
  const one = statement(text(columns, `${hashColumn} = ?`), { isShort: true });
  const others = new Map<number, Statement>();
  return ({ length }) => {
    if (length === 1) return one;
    const known = others.get(length);
    if (known !== undefined) return known;
    const marks = Array(length).fill('?').join(', ');
    const made = statement(text(`${columns}, ${hashColumn} AS "hash"`, `${hashColumn} IN (${marks})`), {
      isShort: true,
    });
    others.set(length, made);
    return made;
  };
}

// Three look-ups by key: the credential, its owner and one setting. Only the columns that the check needs are read.
const credentialQuery = (table: string, own: readonly string[], hashColumn: string, more = '') =>
  byHash(
    `${selected([...CREDENTIAL, ...own], 'c.')}, ${selected(OWNER, 'u.')}${more},
       (SELECT value FROM setting WHERE name = 'require_2fa') AS "require2fa"`,
    `c.${hashColumn}`,
    (columns, condition) =>
      `SELECT ${columns} FROM ${table} c JOIN "user" u ON u.id = c.user_id WHERE ${condition} AND NOT u.disabled`,
  );
const SSO_DUE = ', (SELECT due_ms FROM sso_session WHERE id = c.sso_id) AS "ssoDueMs"';
const SESSION = credentialQuery('session', SESSION_ONLY, 'token_hash', SSO_DUE);
const API_TOKEN = credentialQuery('api_token', TOKEN_ONLY, 'token_hash', TOKEN_FILTER);
const LINK = credentialQuery('shared_link', LINK_ONLY, 'token_hash');
const REPLACED_API_TOKEN = credentialQuery('api_token', TOKEN_ONLY, 'previous_hash', TOKEN_FILTER);

const AGENT = byHash(
  SEEN_COLUMNS,
  'secret_hash',
  (columns, condition) => `SELECT ${columns} FROM agent WHERE ${condition} AND NOT is_deleted`,
);
const REPLACED_AGENT = byHash(
  'id',
  'previous_hash',
  (columns, condition) => `SELECT ${columns} FROM agent WHERE ${condition} AND secret_used AND NOT is_deleted`,
);
const ENROLLMENT = byHash(
  'id, expire_ms AS "expireMs"',
  'token_hash',
  (columns, condition) => `SELECT ${columns} FROM enrollment WHERE ${condition}`,
);

/** Reads credentials: `db.read`, or one that gathers reads. */
export interface CredentialReader {
  readonly sql: Pick<Sql, 'get'>;
}

/** Finds the session of a secret, unless its user is disabled. */
export const findSession = ({ sql }: CredentialReader, hashes: Hashes) =>
  sql.get<SessionCredential>(SESSION(hashes), ...hashes);

/** Finds the API token of a secret, unless its owner is disabled. */
export const findApiToken = ({ sql }: CredentialReader, hashes: Hashes) =>
  sql.get<TokenCredential>(API_TOKEN(hashes), ...hashes);

/** Finds the read-only link of a key, unless its author is disabled. */
export const findLink = ({ sql }: CredentialReader, hashes: Hashes) => sql.get<LinkCredential>(LINK(hashes), ...hashes);

/** Finds the API token whose secret before the last rotation this is, unless its owner is disabled. */
export const findReplacedApiToken = ({ sql }: CredentialReader, hashes: Hashes) =>
  sql.get<TokenCredential>(REPLACED_API_TOKEN(hashes), ...hashes);

/** Finds the agent of a secret, unless it is deleted. */
export const findAgent = ({ sql }: CredentialReader, hashes: Hashes) =>
  sql.get<SeenRow & FoundByHash>(AGENT(hashes), ...hashes);

/** Finds the agent that replaced this secret with a new one and has used the new one. */
export const findReplacedAgent = ({ sql }: CredentialReader, hashes: Hashes) =>
  sql.get<{ id: number }>(REPLACED_AGENT(hashes), ...hashes);

/** Finds the enrollment token of a secret. */
export const findEnrollment = ({ sql }: CredentialReader, hashes: Hashes) =>
  sql.get<FoundByHash & { expireMs: number }>(ENROLLMENT(hashes), ...hashes);
