// Endpoints that manage users.
import { AppError, type contract, type Service, sliceOf, type UserActor, type UserChange } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { nameKey } from '../../auth/name-key.ts';
import { checkPassword } from '../../auth/password-rules.ts';
import { checkSourceFilter } from '../../auth/source-filter.ts';
import { removeAttempts } from '../../auth/throttle.repo.ts';
import { accountKey, otpKey, otpPrefix, pairPrefix } from '../../auth/throttle-keys.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { removeNetworks } from './known-address.repo.ts';
import type { UserNeeds } from './needs.ts';
import { readSecondFactorRoles, storeSecondFactorRoles } from './policy.repo.ts';
import { clearSecondFactor } from './second-factor.repo.ts';
import { removeSessions } from './session.repo.ts';
import {
  createUser,
  findUserById,
  findUserByName,
  hasOtherManager,
  hasSecondFactor,
  isActiveManager,
  isEnabled,
  isNameTaken,
  listUsers,
  lockUser,
  lockUsers,
  removeUser,
  toUser,
  type UserRow,
  updateUser,
} from './user.repo.ts';
import {
  checkConfirmed,
  checkConfirmedSession,
  checkIsOther,
  checkMayGive,
  checkMayTake,
  checkRole,
} from './user-rules.ts';

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

/**
 * Checks a change of the role, the access or the sources of a user, beside the rule about sessions that change others.
 */
function checkChange(actor: UserActor, before: UserRow, change: UserChange): void {
  const { role = before.role, disabled = before.disabled, errlog_filter: filter = before.errlogFilter } = change;
  if (role === before.role && disabled === before.disabled && filter === before.errlogFilter) return;
  checkMayTake(actor, before.role);
  // Another filter may admit more sources.
  if (role !== before.role || !disabled) checkMayGive(actor, role);
}

/** Fields of a user for the audit log. */
const auditView = ({ username, role, disabled, errlogFilter }: UserRow) => ({
  username,
  role,
  disabled,
  ...(errlogFilter !== '' && { errlog_filter: errlogFilter }),
});

export function userAdmin({ db, passwords, audit, events, now }: UserNeeds): UserAdmin {
  /** Announces a user whose credentials must be checked again. */
  const announceRevoked = (tx: Tx, id: number) => events.publish(tx, [{ type: 'user.revoked', data: { id } }]);

  /** Finds another user and changes something of theirs, in one write that is recorded under `action`. */
  async function changeUser(
    { params, actor, request }: Call,
    action: string,
    change: (tx: Tx, user: UserRow) => Promise<Record<string, unknown>>,
  ): Promise<undefined> {
    await db.write(async (tx) => {
      const user = found(await lockUser(tx, params.id));
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

    async get({ params, version }) {
      const row = found(await findUserById(db.read, params.id));
      const user = toUser(row);
      version?.show(user);
      return user;
    },

    async create({ body, actor, request }) {
      const username = body.username.normalize('NFC');
      const { role, errlog_filter: errlogFilter = '' } = body;
      await checkSourceFilter(errlogFilter);
      const ofSources = errlogFilter === '' ? {} : { errlog_filter: errlogFilter };
      checkRole(actor, role);
      checkMayGive(actor, role);
      await checkPassword(body.password, { username, secondFactor: false });
      const passwordHash = await passwords.hash(body.password);
      const nowMs = now();
      const id = await db.write(async (tx) => {
        await lockUsers(tx);
        const made = await createUser(tx, { username, passwordHash, role, errlogFilter }, nowMs);
        if (made === undefined) throw new AppError('username_taken');
        const target = { kind: 'user', id: made };
        const detail = {
          after: { username, role, disabled: false, ...ofSources },
        };
        await audit.record(tx, { action: 'user.create', actor, request, target, detail });
        return made;
      });
      const times = { _created_unix: nowMs / 1000, _modified_unix: nowMs / 1000 };
      return { id, username, role, disabled: false, second_factor: false, ...ofSources, ...times };
    },

    async update({ params, body, actor, request, version }) {
      const username = body.username?.normalize('NFC');
      if (body.password !== undefined) {
        checkIsOther(actor, params.id, 'password', 'PUT /admin-api/user/me/password');
        checkConfirmed(actor);
      }
      await checkSourceFilter(body.errlog_filter ?? '');
      const seen = found(await findUserById(db.read, params.id));
      checkRole(actor, body.role ?? seen.role);
      const secondFactor = hasSecondFactor(seen);
      if (body.password !== undefined) {
        await checkPassword(body.password, { username: username ?? seen.username, secondFactor });
      }
      const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password);
      const changed = await db.write(async (tx) => {
        await lockUsers(tx);
        const before = found(await lockUser(tx, params.id));
        checkRole(actor, before.role);
        version?.check(toUser(before));
        if (body.role !== undefined && body.role !== before.role) checkConfirmedSession(actor, before.id);
        checkChange(actor, before, body);
        const after: UserRow = {
          ...before,
          ...(username === undefined || username === before.username ? {} : { username, nameKey: nameKey(username) }),
          role: body.role ?? before.role,
          disabled: body.disabled ?? before.disabled,
          errlogFilter: body.errlog_filter ?? before.errlogFilter,
          passwordHash: passwordHash ?? before.passwordHash,
        };
        if (after.username !== before.username && (await isNameTaken(tx, after.username, before.id))) {
          throw new AppError('username_taken');
        }
        const hasOtherSources = after.errlogFilter !== before.errlogFilter;
        if (hasOtherSources) checkConfirmedSession(actor, before.id);
        if (isActiveManager(before) && !isActiveManager(after) && !(await hasOtherManager(tx, before.id))) {
          throw new AppError('last_master');
        }
        const nowMs = now();
        await updateUser(tx, after, nowMs);
        const ends = passwordHash !== undefined || after.role !== before.role || !isEnabled(after);
        const ended = ends ? await removeSessions(tx, before.id) : 0;
        // Other services keep what this one says about a credential for some seconds.
        if (ends || hasOtherSources) await announceRevoked(tx, before.id);
        // Others who know the old password may have signed in from these networks.
        if (passwordHash !== undefined) await removeNetworks(tx, before.id);
        const password = passwordHash === undefined ? {} : { password: 'changed' };
        const detail = { before: auditView(before), after: { ...auditView(after), ...password }, ended };
        const target = { kind: 'user', id: before.id };
        await audit.record(tx, { action: 'user.update', actor, request, target, detail });
        return { ...after, modifiedMs: BigInt(nowMs) };
      });
      version?.show(toUser(changed));
      return undefined;
    },

    async remove({ params, actor, request, version }) {
      await db.write(async (tx) => {
        await lockUsers(tx);
        const user = found(await lockUser(tx, params.id));
        checkRole(actor, user.role);
        checkConfirmedSession(actor, user.id);
        checkMayTake(actor, user.role);
        version?.check(toUser(user));
        if (isActiveManager(user) && !(await hasOtherManager(tx, user.id))) throw new AppError('last_master');
        await removeUser(tx, user.id);
        await announceRevoked(tx, user.id);
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.delete', actor, request, target, detail: { before: auditView(user) } });
      });
      return undefined;
    },

    async policy({ version }) {
      const policy = { require_2fa: await readSecondFactorRoles(db.read) };
      version?.show(policy);
      return policy;
    },

    async updatePolicy({ body, actor, request, version }) {
      const after = await db.write(async (tx) => {
        await lockUsers(tx);
        const before = await readSecondFactorRoles(tx);
        version?.check({ require_2fa: before });
        await storeSecondFactorRoles(tx, body.require_2fa);
        const detail = { before, after: await readSecondFactorRoles(tx) };
        await audit.record(tx, { action: 'user.policy_update', actor, request, detail: { require_2fa: detail } });
        return detail.after;
      });
      version?.show({ require_2fa: after });
      return undefined;
    },

    async resetSecondFactor(call) {
      checkIsOther(call.actor, call.params.id, 'second factor', 'DELETE /admin-api/user/me/2fa');
      return changeUser(call, 'user.reset_2fa', async (tx, user) => {
        await clearSecondFactor(tx, user.id, now());
        await removeAttempts(tx, [otpKey(user.id)], [otpPrefix(user.id)]);
        // A lost phone may hold a session.
        await announceRevoked(tx, user.id);
        return { was_on: hasSecondFactor(user), ended: await removeSessions(tx, user.id) };
      });
    },

    endSessions: (call) =>
      changeUser(call, 'user.sessions_end', async (tx, user) => {
        await announceRevoked(tx, user.id);
        return { ended: await removeSessions(tx, user.id) };
      }),

    unlock: (call) =>
      changeUser(call, 'user.unlock', async (tx, { id, username }) => {
        await removeAttempts(tx, [accountKey(username), otpKey(id)], [pairPrefix(username), otpPrefix(id)]);
        return {};
      }),
  };
}
