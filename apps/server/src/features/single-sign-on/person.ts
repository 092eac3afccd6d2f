// Finds or creates the user of a person whom a provider has proved, and gives them the role of their claims.
import { AppError, NO_ROLE, type RoleName } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { CallContext } from '../call-context.ts';
import { readSecondFactorRoles } from '../user/policy.repo.ts';
import {
  createUser,
  findUserById,
  hasOtherManager,
  hasSecondFactor,
  isActiveManager,
  isEnabled,
  lockUser,
  lockUsers,
  NO_PASSWORD,
  type UserRow,
  updateUser,
} from '../user/user.repo.ts';
import { usernameOf, type Verdict } from './claims.ts';
import { createIdentity, findIdentity, type IdentityRow } from './identity.repo.ts';
import type { SingleSignOnNeeds } from './needs.ts';
import type { ProvenPerson, ProviderClient } from './provider-client.ts';

type PersonDeps = Pick<SingleSignOnNeeds, 'audit' | 'events' | 'now'>;

/** A person with their user. */
export interface KnownPerson {
  readonly identity: IdentityRow;
  readonly user: UserRow;
}

/** Most users with names that differ in a number alone. */
const SAME_NAME_MAX = 1000;

/** Stores a user who has no password, under a name that is free. */
async function createPerson(
  { audit, now }: PersonDeps,
  tx: Tx,
  { settings }: ProviderClient,
  { subject, claims }: ProvenPerson,
  role: RoleName | typeof NO_ROLE,
  request: CallContext['request'],
): Promise<KnownPerson> {
  const { issuer, name: provider } = settings;
  const base = usernameOf(claims, provider);
  for (let number = 1; number <= SAME_NAME_MAX; number += 1) {
    const username = number === 1 ? base : `${base}-${number}`;
    const id = await createUser(tx, { username, passwordHash: NO_PASSWORD, role }, now());
    if (id === undefined) continue;
    const identity = await createIdentity(tx, { userId: id, issuer, subject }, now());
    const user = await findUserById(tx, id);
    if (user === undefined) break;
    const detail = { after: { username, role, disabled: false }, provider, issuer, subject };
    await audit.record(tx, { action: 'user.create', actor: 'system', request, target: { kind: 'user', id }, detail });
    return { identity, user };
  }
  throw new AppError('conflict', { message: 'There are too many users of your name. Ask an administrator.' });
}

/**
 * Gives a user the role of their claims. The last master with a password stays one: nobody else could undo a mistake in
 * the role map. Needs `lockUsers`.
 */
export async function applyRole(
  { audit, events, now }: PersonDeps,
  tx: Tx,
  user: UserRow,
  role: RoleName | typeof NO_ROLE,
  provider: string,
  request?: CallContext['request'],
): Promise<UserRow> {
  if (user.role === role) return user;
  const after = { ...user, role };
  const target = { kind: 'user', id: user.id };
  const change = { before: { role: user.role }, after: { role }, provider, username: user.username };
  if (isActiveManager(user) && !isActiveManager(after) && !(await hasOtherManager(tx, user.id))) {
    const detail = { ...change, after: { role: user.role }, refused: 'last_master' };
    await audit.record(tx, { action: 'user.role_kept', actor: 'system', request, target, detail });
    return user;
  }
  await updateUser(tx, after, now());
  await events.publish(tx, [{ type: 'user.revoked', data: { id: user.id } }]);
  await audit.record(tx, { action: 'user.update', actor: 'system', request, target, detail: change });
  return after;
}

/** Takes the role of the user of a person, where there is one. */
export const takeRole = (
  deps: PersonDeps & Pick<SingleSignOnNeeds, 'db'>,
  issuer: string,
  subject: string,
  provider: string,
): Promise<void> =>
  deps.db.write(async (tx) => {
    await lockUsers(tx);
    const identity = await findIdentity(tx, issuer, subject);
    const user = identity && (await lockUser(tx, identity.userId));
    if (user !== undefined) await applyRole(deps, tx, user, NO_ROLE, provider);
  });

/** Finds the user of a person, or creates one; with the role of the claims. */
export async function findPerson(
  deps: PersonDeps,
  tx: Tx,
  client: ProviderClient,
  person: ProvenPerson,
  { role }: Verdict,
  request: CallContext['request'],
): Promise<KnownPerson> {
  const { issuer, name: provider } = client.settings;
  await lockUsers(tx);
  const identity = await findIdentity(tx, issuer, person.subject);
  if (identity === undefined) return createPerson(deps, tx, client, person, role ?? NO_ROLE, request);
  const user = await lockUser(tx, identity.userId);
  if (user === undefined || !isEnabled(user)) {
    throw new AppError('forbidden', { message: 'Your user is disabled here. Ask an administrator.' });
  }
  return { identity, user: role === undefined ? user : await applyRole(deps, tx, user, role, provider, request) };
}

/**
 * Requires a second factor of the provider where a password would need one too.
 *
 * @throws AppError `forbidden`
 */
export async function checkSecondFactor(tx: Tx, user: UserRow, isProven: boolean): Promise<void> {
  if (isProven) return;
  const roles: readonly string[] = await readSecondFactorRoles(tx);
  if (!hasSecondFactor(user) && !roles.includes(user.role)) return;
  throw new AppError('forbidden', {
    message: 'You need a second factor, and the provider does not say that it has checked one.',
  });
}
