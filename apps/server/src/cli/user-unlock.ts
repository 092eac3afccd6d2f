import { forgetAttempts } from '../auth/throttle.ts';
import { accountKey, otpKey, otpPrefix, pairPrefix } from '../auth/throttle-keys.ts';
import { changeUser } from './change-user.ts';
import type { Command } from './command.ts';
import { openData } from './open-data.ts';

export const userUnlock: Command = {
  name: 'user unlock',
  parameters: ['NAME'],
  summary: 'Forget the failed sign-ins of a user, who need not wait any longer',
  async run({ args: [name = ''], config, say }) {
    await using data = await openData(config());
    await changeUser(data, name, 'user.unlock', async (tx, { id, username }) => {
      await forgetAttempts(tx, [accountKey(username), otpKey(id)], [pairPrefix(username), otpPrefix(id)]);
      return {};
    });
    say(`${name} can sign in again`);
  },
};
