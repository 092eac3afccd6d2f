// Changes a user for a command: one write, recorded in the audit log.
import type { Database, Tx } from '@quarterdeck/core/db';
import { findUserByName, lockUser, type UserRow } from '../features/user/user.repo.ts';
import { Refusal } from '../process/refusal.ts';
import type { Data } from './command.ts';

const unknownUser = (name: string) => new Refusal(`there is no user ${JSON.stringify(name)}`);

/** Finds the user of a name; refuses where there is none. */
export async function getUser(db: Database, name: string): Promise<UserRow> {
  const user = await findUserByName(db.read, name.normalize('NFC'));
  if (user === undefined) throw unknownUser(name);
  return user;
}

/** Changes something of a user. `change` returns the detail for the audit log. */
export async function changeUser(
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
