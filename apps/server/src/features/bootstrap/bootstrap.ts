// Applies the bootstrap file to the database at every start. Roles, and names and limits of tokens, follow the file.
// Other later changes stay: a new password, and a token that was rotated, disabled or revoked.
import type { Database, Tx } from '@quarterdeck/core/db';
import { findPasswordFault } from '../../auth/password-rules.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import { readScopes } from '../../auth/token-scopes.ts';
import { findTokenByHash, isReplacedSecret, setTokenLimits } from '../api-token/api-token.repo.ts';
import { readBlocks } from '../api-token/api-token.view.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import { removeSessions } from '../user/session.repo.ts';
import {
  createUser,
  findUserByName,
  hasOtherManager,
  lockUsers,
  MANAGER_ROLES,
  updateUser,
} from '../user/user.repo.ts';
import { recordBootstrapSecret } from './bootstrap.repo.ts';
import { type Bootstrap, type BootstrapToken, type BootstrapUser, refuseAt } from './bootstrap-file.ts';
import { issueToken, limitColumns, limitDetail, tokenDetail } from './system-token.ts';
import { readExpiry } from './token-expiry.ts';

export interface BootstrapDeps {
  readonly db: Database;
  readonly key: SecretKey;
  readonly passwords: Passwords;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly tokenMaxDays: number | undefined;
}

const TRIES = 5;

/** A user of the file was deleted while the passwords were hashed; the caller tries again. */
class Interference extends Error {}

/**
 * Creates the users and tokens of the file that do not exist, in one write.
 *
 * @throws ConfigError where the file cannot be applied, with one line that names the place
 */
export async function applyBootstrap(deps: BootstrapDeps, bootstrap: Bootstrap): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const hashes = await hashNew(deps, bootstrap.users);
    try {
      await deps.db.write(async (tx) => {
        // Servers that start together on one PostgreSQL apply the file one after the other.
        await lockUsers(tx);
        for (const [i, user] of bootstrap.users.entries()) {
          await applyUser(tx, deps, user, hashes.get(user.username), `users[${i}]`);
        }
        if (bootstrap.users.length > 0) await requireManager(tx);
        for (const [i, token] of bootstrap.tokens.entries()) await applyToken(tx, deps, token, `api_tokens[${i}]`);
      });
      return;
    } catch (error) {
      if (!(error instanceof Interference) || tries === TRIES) throw error;
    }
  }
}

/** Hashes the passwords of new users, before the write: hashing is too slow for it. */
async function hashNew({ db, passwords }: BootstrapDeps, users: readonly BootstrapUser[]) {
  const hashes = new Map<string, string>();
  for (const [i, { username, password }] of users.entries()) {
    if ((await findUserByName(db.read, username)) !== undefined) continue;
    const fault = await findPasswordFault(password, { username, secondFactor: false });
    if (fault !== undefined) throw refuseAt(`users[${i}].password`, fault);
    hashes.set(username, await passwords.hash(password));
  }
  return hashes;
}

async function applyUser(
  tx: Tx,
  { audit, now }: BootstrapDeps,
  { username, role }: BootstrapUser,
  passwordHash: string | undefined,
  place: string,
): Promise<void> {
  const nowMs = now();
  const existing = await findUserByName(tx, username);
  if (existing === undefined) {
    if (passwordHash === undefined) throw new Interference();
    const id = await createUser(tx, { username, passwordHash, role }, nowMs);
    if (id === undefined) throw refuseAt(`${place}.username`, 'differs only in case from an existing user');
    const detail = { after: { username, role, disabled: false }, bootstrap: true };
    await audit.record(tx, { action: 'user.create', actor: 'system', target: { kind: 'user', id }, detail });
  } else if (existing.role !== role) {
    const { id, role: before } = existing;
    await updateUser(tx, { ...existing, role }, nowMs);
    const ended = await removeSessions(tx, id);
    const detail = { username, before: { role: before }, after: { role }, ended, bootstrap: true };
    await audit.record(tx, { action: 'user.update', actor: 'system', target: { kind: 'user', id }, detail });
  }
}

/** Id of no user. */
const NOBODY = 0;

async function requireManager(tx: Tx): Promise<void> {
  if (!(await hasOtherManager(tx, NOBODY)))
    throw refuseAt('users', `would leave no active user of the role ${MANAGER_ROLES.join(' or ')}`);
}

async function applyToken(tx: Tx, deps: BootstrapDeps, token: BootstrapToken, place: string): Promise<void> {
  const { key, audit, now, tokenMaxDays } = deps;
  const owner = await findUserByName(tx, token.user);
  if (owner === undefined) throw refuseAt(`${place}.user`, 'names a user who does not exist');
  const hashes = key.digests(token.secret);
  const isNew = await recordBootstrapSecret(tx, hashes);
  const existing = await findTokenByHash(tx, hashes);
  const nowMs = now();
  if (existing !== null) {
    if (existing.userId !== owner.id) throw refuseAt(`${place}.user`, 'is not the owner of this token');
    const wanted = limitColumns(token);
    const { id, name, scopes, allowedCidrs: cidrs } = existing;
    if (name === wanted.name && scopes === wanted.scopes && cidrs === wanted.allowedCidrs) return;
    await setTokenLimits(tx, id, wanted, nowMs);
    const before = limitDetail({ name, scopes: readScopes(scopes), cidrs: readBlocks(cidrs) });
    const detail = { before, after: limitDetail(token), bootstrap: true };
    await audit.record(tx, { action: 'api_token.update', actor: 'system', target: { kind: 'api_token', id }, detail });
    return;
  }
  if (!isNew || (await isReplacedSecret(tx, hashes))) return;
  const expiry = readExpiry(token.expire, nowMs, tokenMaxDays);
  if ('problem' in expiry) throw refuseAt(`${place}.expire`, expiry.problem);
  const values = { ...token, expireMs: expiry.ms };
  const id = await issueToken(tx, key, owner.id, token.secret, values, nowMs);
  const detail = { ...tokenDetail(owner.id, values), bootstrap: true };
  await audit.record(tx, { action: 'api_token.create', actor: 'system', target: { kind: 'api_token', id }, detail });
}
