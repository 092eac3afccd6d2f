import { rotateKey } from '../features/key/rotate-key.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';

export async function rotateSecretKey({ config, openData, say }: CommandCall): Promise<void> {
  const { dataDir } = config();
  await using data = await openData();
  const { generation, missingAt } = await rotateKey({ ...data, dataDir });
  if (missingAt.length > 0) {
    throw new Refusal(
      `key ${generation} is in secret.key.next and not in use yet: a server on ${missingAt.join(', ')} does not have it; ` +
        'copy the file to the data folder of each server, and run this command again',
      EXIT.tryAgain,
    );
  }
  say(`key ${generation} is in use; the key before is in secret.key.old and still accepted`);
  say('back up both files; "quarterdeckd key status" shows what is still under the key before');
}
