// Brings the database in line with the bootstrap file, at every start. What people have done since is left alone: a
// password, a token that was rotated, disabled or revoked. Only roles, and names and limits of tokens, follow the file.
import { type Database, type Door, statement } from '@quarterdeck/core/db';
import { faultOf } from '../../auth/password-rules.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import { readBlocks } from '../api-token/api-token.view.ts';
import { readScopes } from '../api-token/token-scopes.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import { removeSessions } from '../user/session.repo.ts';
import { createUser, lockUsers } from '../user/user.repo.ts';
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
  const names = users.map(({ username }) => username);
  const known = await db.read.prisma.user.findMany({ where: { username: { in: names } }, select: { username: true } });
  const isKnown = new Set(known.map(({ username }) => username));
  const hashes = new Map<string, string>();
  for (const [i, { username, password }] of users.entries()) {
    if (isKnown.has(username)) continue;
    const fault = await faultOf(password, { username, secondFactor: false });
    if (fault !== undefined) throw refuseAt(`users[${i}].password`, fault);
    hashes.set(username, await passwords.hash(password));
  }
  return hashes;
}

async function applyUser(
  tx: Door,
  { audit, now }: BootstrapDeps,
  { username, role }: BootstrapUser,
  passwordHash: string | undefined,
  place: string,
): Promise<void> {
  const nowMs = now();
  const there = await tx.prisma.user.findUnique({ where: { username } });
  if (there === null) {
    if (passwordHash === undefined) throw new Interference();
    const id = await createUser(tx, { username, passwordHash, role }, nowMs);
    if (id === undefined) throw refuseAt(`${place}.username`, 'differs only in case from a user who is there');
    const detail = { after: { username, role, disabled: false }, bootstrap: true };
    await audit.record(tx, { action: 'user.create', actor: 'system', target: { kind: 'user', id }, detail });
  } else if (there.role !== role) {
    const { id, role: before } = there;
    await tx.prisma.user.update({ where: { id }, data: { role, modifiedMs: BigInt(nowMs) } });
    const ended = await removeSessions(tx, id);
    const detail = { username, before: { role: before }, after: { role }, ended, bootstrap: true };
    await audit.record(tx, { action: 'user.update', actor: 'system', target: { kind: 'user', id }, detail });
  }
}

async function refuseNoMaster(tx: Door): Promise<void> {
  const master = await tx.prisma.user.findFirst({ where: { role: 'master', disabled: false }, select: { id: true } });
  if (master === null) throw refuseAt('users', 'would leave no active user of the role master');
}

// A token that was revoked or rotated must not come back at the next start, so the ones that were made are remembered,
// by the same hash as the tokens themselves.
const REMEMBER = statement("INSERT INTO setting (name, value) VALUES (?, '') ON CONFLICT (name) DO NOTHING");

async function applyToken(tx: Door, deps: BootstrapDeps, token: BootstrapToken, place: string): Promise<void> {
  const { key, audit, now, tokenMaxDays } = deps;
  const owner = await tx.prisma.user.findUnique({ where: { username: token.user }, select: { id: true } });
  if (owner === null) throw refuseAt(`${place}.user`, 'there is no such user');
  const tokenHash = key.digest(token.secret);
  const mark = `bootstrap_token:${Buffer.from(tokenHash).toString('hex')}`;
  const wasMade = (await tx.sql.run(REMEMBER, mark)).changes === 0;
  const there = await tx.prisma.apiToken.findUnique({ where: { tokenHash } });
  if (there !== null) {
    if (there.userId !== owner.id) throw refuseAt(`${place}.user`, 'this token belongs to another user');
    const wanted = limitColumns(token);
    const { id, name, scopes, allowedCidrs } = there;
    if (name === wanted.name && scopes === wanted.scopes && allowedCidrs === wanted.allowedCidrs) return;
    await tx.prisma.apiToken.update({ where: { id }, data: { ...wanted, modifiedMs: BigInt(now()) } });
    const before = limitDetail({ name, scopes: readScopes(scopes), cidrs: readBlocks(allowedCidrs) });
    const detail = { before, after: limitDetail(token), bootstrap: true };
    await audit.record(tx, { action: 'api_token.update', actor: 'system', target: { kind: 'api_token', id }, detail });
    return;
  }
  if (wasMade) return;
  const replaced = await tx.prisma.apiToken.findUnique({ where: { previousHash: tokenHash }, select: { id: true } });
  if (replaced !== null) return;
  const nowMs = now();
  const expiry = readExpiry(token.expire, nowMs, tokenMaxDays);
  if ('problem' in expiry) throw refuseAt(`${place}.expire`, expiry.problem);
  const values = { ...token, expireMs: expiry.ms };
  const id = await insertToken(tx, key, owner.id, token.secret, values, nowMs);
  const detail = { ...tokenDetail(owner.id, values), bootstrap: true };
  await audit.record(tx, { action: 'api_token.create', actor: 'system', target: { kind: 'api_token', id }, detail });
}
