import { BrokenLogError, dropOldKeys } from '../features/key/drop-key.ts';
import { encryptAgain } from '../features/key/encrypt-again.ts';
import { readKeyUse } from '../features/key/key-usage.repo.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';

export async function dropOldKey({ config, openData, flag, say }: CommandCall): Promise<void> {
  const { dataDir } = config();
  await using data = await openData();
  const { db, key, now } = data;
  key.reload();
  if (key.keys.some(({ generation }) => generation > key.generation)) {
    throw new Refusal('a rotation has begun and its key is not in use yet; run "quarterdeckd key rotate" to end it');
  }
  await encryptAgain(db, key);
  const left = (await readKeyUse(db, key.generation, now())).filter(({ inUse }) => inUse > 0);
  const numbers = left.map(({ what, inUse }) => `${inUse} ${what}`).join(', ');
  if (left.length > 0 && !flag('force')) {
    throw new Refusal(`still under the key before: ${numbers}; wait until they are used, or end them with --force`);
  }
  try {
    await dropOldKeys(
      { ...data, dataDir },
      Object.fromEntries(left.map(({ what, inUse }) => [what, inUse])),
      flag('force'),
    );
  } catch (error) {
    if (error instanceof BrokenLogError) throw new Refusal(error.message, EXIT.auditBroken);
    throw error;
  }
  say(`only key ${key.generation} is accepted; secret.key.old is deleted`);
  if (left.length > 0) say(`ended: ${numbers}`);
  say('backups from before the rotation need the key before: keep a copy with them');
}
