import { removeAttempts } from '../auth/throttle.repo.ts';
import { otpKey, otpPrefix } from '../auth/throttle-keys.ts';
import { clearSecondFactor } from '../features/user/second-factor.repo.ts';
import { removeSessions } from '../features/user/session.repo.ts';
import { hasSecondFactor } from '../features/user/user.repo.ts';
import { changeUser } from './change-user.ts';
import type { CommandCall } from './command.ts';

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
