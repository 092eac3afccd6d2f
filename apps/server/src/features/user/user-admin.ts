// What masters do about people.
import { AppError, type contract, type Service, sliceOf, type UserActor } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { checkPassword } from '../../auth/password-rules.ts';
import { removeAttempts } from '../../auth/throttle.ts';
import { accountKey, otpKey, otpPrefix, pairPrefix } from '../../auth/throttle-keys.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { readDemandedRoles, storeDemandedRoles } from './policy.repo.ts';
import { clearSecondFactor } from './second-factor.repo.ts';
import { removeNetworks, removeSessions } from './session.repo.ts';
import {
  createUser,
  deleteUser,
  findUserById,
  findUserByName,
  hasOtherMaster,
  hasSecondFactor,
  holdUser,
  isNameTaken,
  isUsable,
  listUsers,
  lockUsers,
  toUser,
  type UserRow,
  updateUser,
} from './user.repo.ts';
import { checkConfirmed, checkConfirmedSession, checkIsOther, checkRole } from './user-rules.ts';

type UserAdmin = Pick<
  Service<(typeof contract)['user'], CallContext>,
  | 'list'
  | 'search'
  | 'get'
  | 'create'
  | 'update'
  | 'remove'
  | 'policy'
  | 'updatePolicy'
  | 'resetSecondFactor'
  | 'endSessions'
  | 'unlock'
>;

interface Call {
  readonly params: { readonly id: number };
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

/** Somebody who can sign in and manage everybody. */
const isActiveMaster = (user: UserRow): boolean => user.role === 'master' && isUsable(user);

/** What of a person may be shown in the audit log. */
const auditView = ({ username, role, disabled }: UserRow) => ({ username, role, disabled: disabled !== 0 });

export function userAdmin({ db, passwords, audit, now }: Deps): UserAdmin {
  /** Finds somebody and changes what is theirs, in one write that is remembered under `action`. */
  async function changeTheirs(
    { params, actor, request }: Call,
    action: string,
    change: (tx: Tx, user: UserRow) => Promise<Record<string, unknown>>,
  ): Promise<undefined> {
    await db.write(async (tx) => {
      const user = await holdUser(tx, params.id);
      if (user === undefined) throw new AppError('not_found');
      checkRole(actor, user.role);
      const detail = await change(tx, user);
      const target = { kind: 'user', id: user.id };
      await audit.record(tx, { action, actor, request, target, detail: { username: user.username, ...detail } });
    });
    return undefined;
  }

  return {
    list: ({ query }) => listUsers(db, checkWindow(sliceOf(query))),

    async search({ query }) {
      const user = await findUserByName(db.read, query.name.normalize('NFC'));
      return user === undefined ? {} : toUser(user);
    },

    async get({ params }) {
      const user = await findUserById(db.read, params.id);
      if (user === undefined) throw new AppError('not_found');
      return toUser(user);
    },

    async create({ body, actor, request }) {
      const username = body.username.normalize('NFC');
      const { role } = body;
      checkRole(actor, role);
      await checkPassword(body.password, { username, secondFactor: false });
      const passwordHash = await passwords.hash(body.password);
      const nowMs = now();
      const id = await db.write(async (tx) => {
        await lockUsers(tx);
        const made = await createUser(tx, { username, passwordHash, role }, nowMs);
        if (made === undefined) throw new AppError('username_taken');
        const target = { kind: 'user', id: made };
        const detail = { after: { username, role, disabled: false } };
        await audit.record(tx, { action: 'user.create', actor, request, target, detail });
        return made;
      });
      const times = { _created_unix: nowMs / 1000, _modified_unix: nowMs / 1000 };
      return { id, username, role, disabled: false, second_factor: false, ...times };
    },

    async update({ params, body, actor, request }) {
      const username = body.username?.normalize('NFC');
      if (body.password !== undefined) {
        checkIsOther(actor, params.id, 'password', 'PUT /admin-api/user/me/password');
        checkConfirmed(actor);
      }
      const seen = await findUserById(db.read, params.id);
      if (seen === undefined) throw new AppError('not_found');
      checkRole(actor, body.role ?? seen.role);
      const secondFactor = hasSecondFactor(seen);
      if (body.password !== undefined) {
        await checkPassword(body.password, { username: username ?? seen.username, secondFactor });
      }
      const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password);
      await db.write(async (tx) => {
        await lockUsers(tx);
        const before = await holdUser(tx, params.id);
        if (before === undefined) throw new AppError('not_found');
        checkRole(actor, before.role);
        if (body.role !== undefined && body.role !== before.role) checkConfirmedSession(actor, before.id);
        const after: UserRow = {
          ...before,
          username: username ?? before.username,
          role: body.role ?? before.role,
          disabled: body.disabled === undefined ? before.disabled : Number(body.disabled),
          password_hash: passwordHash ?? before.password_hash,
        };
        if (after.username !== before.username && (await isNameTaken(tx, after.username, before.id))) {
          throw new AppError('username_taken');
        }
        if (isActiveMaster(before) && !isActiveMaster(after) && !(await hasOtherMaster(tx, before.id))) {
          throw new AppError('last_master');
        }
        await updateUser(tx, after, now());
        const ends = passwordHash !== undefined || after.role !== before.role || !isUsable(after);
        const ended = ends ? await removeSessions(tx, before.id) : 0;
        // Whoever else knew the old password is a stranger from now on.
        if (passwordHash !== undefined) await removeNetworks(tx, before.id);
        const password = passwordHash === undefined ? {} : { password: 'changed' };
        const detail = { before: auditView(before), after: { ...auditView(after), ...password }, ended };
        const target = { kind: 'user', id: before.id };
        await audit.record(tx, { action: 'user.update', actor, request, target, detail });
      });
      return undefined;
    },

    async remove({ params, actor, request }) {
      await db.write(async (tx) => {
        await lockUsers(tx);
        const user = await holdUser(tx, params.id);
        if (user === undefined) throw new AppError('not_found');
        checkRole(actor, user.role);
        checkConfirmedSession(actor, user.id);
        if (isActiveMaster(user) && !(await hasOtherMaster(tx, user.id))) throw new AppError('last_master');
        await deleteUser(tx, user.id);
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.delete', actor, request, target, detail: { before: auditView(user) } });
      });
      return undefined;
    },

    policy: async () => ({ require_2fa: await readDemandedRoles(db.read) }),

    async updatePolicy({ body, actor, request }) {
      await db.write(async (tx) => {
        await lockUsers(tx);
        const before = await readDemandedRoles(tx);
        await storeDemandedRoles(tx, body.require_2fa);
        const detail = { before, after: await readDemandedRoles(tx) };
        await audit.record(tx, { action: 'user.policy_update', actor, request, detail: { require_2fa: detail } });
      });
      return undefined;
    },

    async resetSecondFactor(call) {
      checkIsOther(call.actor, call.params.id, 'second factor', 'DELETE /admin-api/user/me/2fa');
      return changeTheirs(call, 'user.reset_2fa', async (tx, user) => {
        await clearSecondFactor(tx, user.id, now());
        await removeAttempts(tx, [otpKey(user.id)], [otpPrefix(user.id)]);
        // A lost phone may be in other hands, with a session on it.
        return { was_on: hasSecondFactor(user), ended: await removeSessions(tx, user.id) };
      });
    },

    endSessions: (call) =>
      changeTheirs(call, 'user.sessions_end', async (tx, user) => ({ ended: await removeSessions(tx, user.id) })),

    unlock: (call) =>
      changeTheirs(call, 'user.unlock', async (tx, { id, username }) => {
        await removeAttempts(tx, [accountKey(username), otpKey(id)], [pairPrefix(username), otpPrefix(id)]);
        return {};
      }),
  };
}
