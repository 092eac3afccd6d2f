// Brings the database in line with the bootstrap file, at every start. What people have done since is left alone: a
// password, a token that was rotated, disabled or revoked. Only roles, and names and limits of tokens, follow the file.
import type { Database, Tx } from '@quarterdeck/core/db';
import { faultOf } from '../../auth/password-rules.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import { findTokenByHash, isReplacedSecret, setTokenLimits } from '../api-token/api-token.repo.ts';
import { readBlocks } from '../api-token/api-token.view.ts';
import { readScopes } from '../api-token/token-scopes.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import { removeSessions } from '../user/session.repo.ts';
import { createUser, findUserByName, hasOtherMaster, lockUsers, updateUser } from '../user/user.repo.ts';
import { markMade } from './bootstrap.repo.ts';
import { type Bootstrap, type BootstrapToken, type BootstrapUser, refuseAt } from './bootstrap-file.ts';
import { readExpiry } from './expiry.ts';
import { insertToken, limitColumns, limitDetail, tokenDetail } from './token-row.ts';

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

/** A user of the file was deleted while its passwords were being hashed: begin again. */
class Interference extends Error {}

/**
 * Makes what the file names and is not there, in one write.
 *
 * @throws ConfigError where the file asks for what cannot be, with one line that names the place
 */
export async function applyBootstrap(deps: BootstrapDeps, bootstrap: Bootstrap): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const hashes = await hashNew(deps, bootstrap.users);
    try {
      await deps.db.write(async (tx) => {
        // Servers that start together on one PostgreSQL take turns, with each other and with whoever manages users.
        await lockUsers(tx);
        for (const [i, user] of bootstrap.users.entries()) {
          await applyUser(tx, deps, user, hashes.get(user.username), `users[${i}]`);
        }
        if (bootstrap.users.length > 0) await refuseNoMaster(tx);
        for (const [i, token] of bootstrap.tokens.entries()) await applyToken(tx, deps, token, `api_tokens[${i}]`);
      });
      return;
    } catch (error) {
      if (!(error instanceof Interference) || tries === TRIES) throw error;
    }
  }
}

/** Hashes of the passwords of those who are not there yet: too slow to be made within the write. */
async function hashNew({ db, passwords }: BootstrapDeps, users: readonly BootstrapUser[]) {
  const hashes = new Map<string, string>();
  for (const [i, { username, password }] of users.entries()) {
    if ((await findUserByName(db.read, username)) !== undefined) continue;
    const fault = await faultOf(password, { username, secondFactor: false });
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
  const there = await findUserByName(tx, username);
  if (there === undefined) {
    if (passwordHash === undefined) throw new Interference();
    const id = await createUser(tx, { username, passwordHash, role }, nowMs);
    if (id === undefined) throw refuseAt(`${place}.username`, 'differs only in case from a user who is there');
    const detail = { after: { username, role, disabled: false }, bootstrap: true };
    await audit.record(tx, { action: 'user.create', actor: 'system', target: { kind: 'user', id }, detail });
  } else if (there.role !== role) {
    const { id, role: before } = there;
    await updateUser(tx, { ...there, role }, nowMs);
    const ended = await removeSessions(tx, id);
    const detail = { username, before: { role: before }, after: { role }, ended, bootstrap: true };
    await audit.record(tx, { action: 'user.update', actor: 'system', target: { kind: 'user', id }, detail });
  }
}

/** No user has this id. */
const NOBODY = 0;

async function refuseNoMaster(tx: Tx): Promise<void> {
  if (!(await hasOtherMaster(tx, NOBODY))) throw refuseAt('users', 'would leave no active user of the role master');
}

async function applyToken(tx: Tx, deps: BootstrapDeps, token: BootstrapToken, place: string): Promise<void> {
  const { key, audit, now, tokenMaxDays } = deps;
  const owner = await findUserByName(tx, token.user);
  if (owner === undefined) throw refuseAt(`${place}.user`, 'there is no such user');
  const tokenHash = key.digest(token.secret);
  const wasMade = !(await markMade(tx, tokenHash));
  const there = await findTokenByHash(tx, tokenHash);
  const nowMs = now();
  if (there !== undefined) {
    if (there.uid !== owner.id) throw refuseAt(`${place}.user`, 'this token belongs to another user');
    const wanted = limitColumns(token);
    const { id, name, scopes, allowed_cidrs: cidrs } = there;
    if (name === wanted.name && scopes === wanted.scopes && cidrs === wanted.allowedCidrs) return;
    await setTokenLimits(tx, id, wanted, nowMs);
    const before = limitDetail({ name, scopes: readScopes(scopes), cidrs: readBlocks(cidrs) });
    const detail = { before, after: limitDetail(token), bootstrap: true };
    await audit.record(tx, { action: 'api_token.update', actor: 'system', target: { kind: 'api_token', id }, detail });
    return;
  }
  if (wasMade || (await isReplacedSecret(tx, tokenHash))) return;
  const expiry = readExpiry(token.expire, nowMs, tokenMaxDays);
  if ('problem' in expiry) throw refuseAt(`${place}.expire`, expiry.problem);
  const values = { ...token, expireMs: expiry.ms };
  const id = await insertToken(tx, key, owner.id, token.secret, values, nowMs);
  const detail = { ...tokenDetail(owner.id, values), bootstrap: true };
  await audit.record(tx, { action: 'api_token.create', actor: 'system', target: { kind: 'api_token', id }, detail });
}
