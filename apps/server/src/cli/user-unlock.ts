import { removeAttempts } from '../auth/throttle.repo.ts';
import { accountKey, otpKey, otpPrefix, pairPrefix } from '../auth/throttle-keys.ts';
import { changeUser } from './change-user.ts';
import type { CommandCall } from './command.ts';

export async function unlockUser({ args: [name = ''], openData, say }: CommandCall): Promise<void> {
  await using data = await openData();
  await changeUser(data, name, 'user.unlock', async (tx, { id, username }) => {
    await removeAttempts(tx, [accountKey(username), otpKey(id)], [pairPrefix(username), otpPrefix(id)]);
    return {};
  });
  say(`${name} can sign in again`);
}
