// Commands about users. A change is one write, recorded in the audit log.
import type { Database, Tx } from '@quarterdeck/core/db';
import { valueIn } from '@quarterdeck/core/small-file';
import { findPasswordFault } from '../auth/password-rules.ts';
import { randomBase62 } from '../auth/secrets.ts';
import { removeAttempts } from '../auth/throttle.repo.ts';
import { accountKey, otpKey, otpPrefix, pairPrefix } from '../auth/throttle-keys.ts';
import { removeNetworks } from '../features/user/known-address.repo.ts';
import { clearSecondFactor } from '../features/user/second-factor.repo.ts';
import { removeSessions } from '../features/user/session.repo.ts';
import { findUserByName, hasSecondFactor, lockUser, setPassword, type UserRow } from '../features/user/user.repo.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall, Data } from './command.ts';

const unknownUser = (name: string) => new Refusal(`there is no user ${JSON.stringify(name)}`);

/** Finds the user of a name; refuses where there is none. */
export async function getUser(db: Database, name: string): Promise<UserRow> {
  const user = await findUserByName(db.read, name.normalize('NFC'));
  if (user === undefined) throw unknownUser(name);
  return user;
}

/** Changes something of a user. `change` returns the detail for the audit log. */
async function changeUser(
  { db, audit }: Data,
  name: string,
  action: string,
  change: (tx: Tx, user: UserRow) => Promise<Record<string, unknown>>,
): Promise<void> {
  const { id } = await getUser(db, name);
  await db.write(async (tx) => {
    const user = await lockUser(tx, id);
    if (user === undefined) throw unknownUser(name);
    const detail = { username: user.username, ...(await change(tx, user)) };
    await audit.record(tx, { action, actor: 'local', target: { kind: 'user', id }, detail });
  });
}

export async function unlockUser({ args: [name = ''], openData, say }: CommandCall): Promise<void> {
  await using data = await openData();
  await changeUser(data, name, 'user.unlock', async (tx, { id, username }) => {
    await removeAttempts(tx, [accountKey(username), otpKey(id)], [pairPrefix(username), otpPrefix(id)]);
    return {};
  });
  say(`${name} can sign in again`);
}

const PASSWORD_LENGTH = 24;

export async function resetPassword({
  args: [name = ''],
  flag,
  openData,
  out,
  say,
  readInput,
}: CommandCall): Promise<void> {
  const given = flag('password-stdin') ? valueIn(await readInput()) : undefined;
  const password = given ?? randomBase62(PASSWORD_LENGTH);

  await using data = await openData();
  const user = await getUser(data.db, name);
  const fault = await findPasswordFault(password, { username: user.username, secondFactor: hasSecondFactor(user) });
  if (fault !== undefined) throw new Refusal(`the password ${fault}`);
  const passwordHash = await (await data.passwords()).hash(password);
  await changeUser(data, name, 'user.password_reset', async (tx, { id }) => {
    await setPassword(tx, id, passwordHash, data.now());
    await removeNetworks(tx, id);
    return { ended: await removeSessions(tx, id) };
  });
  if (given === undefined) out(password);
  say(`${name} has a new password; all their sessions have ended`);
}

/** `user reset-2fa`. */
export async function resetSecondFactor({ args: [name = ''], openData, say }: CommandCall): Promise<void> {
  await using data = await openData();
  await changeUser(data, name, 'user.second_factor_reset', async (tx, user) => {
    await clearSecondFactor(tx, user.id, data.now());
    await removeAttempts(tx, [otpKey(user.id)], [otpPrefix(user.id)]);
    // A lost phone may hold a session.
    return { was_on: hasSecondFactor(user), ended: await removeSessions(tx, user.id) };
  });
  say(`${name} signs in without a second factor until a new one is set up; all their sessions have ended`);
}
