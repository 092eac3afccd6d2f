import { valueIn } from '@quarterdeck/core/small-file';
import { findPasswordFault } from '../auth/password-rules.ts';
import { randomBase62 } from '../auth/secrets.ts';
import { removeNetworks } from '../features/user/known-address.repo.ts';
import { removeSessions } from '../features/user/session.repo.ts';
import { hasSecondFactor, setPassword } from '../features/user/user.repo.ts';
import { Refusal } from '../process/refusal.ts';
import { changeUser, getUser } from './change-user.ts';
import type { CommandCall } from './command.ts';

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
