import { newestAuditOf } from '../features/audit/audit.repo.ts';
import { KEY_ROTATE } from '../features/audit/chain-walk.ts';
import { BrokenLogError, dropOldKeys } from '../features/key/drop-key.ts';
import { encryptAgain } from '../features/key/encrypt-again.ts';
import { readKeyUse } from '../features/key/key-usage.repo.ts';
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

export async function showKeyStatus({ openData, out }: CommandCall): Promise<void> {
  await using data = await openData();
  const { db, key, now } = data;
  out(`key in use: ${key.generation}`);
  for (const { generation } of key.keys.slice(1)) {
    out(generation > key.generation ? `prepared: ${generation}` : `still accepted: ${generation}`);
  }
  const uses = await readKeyUse(db, key.generation, now());
  const others = uses.filter(({ inUse, ended }) => inUse + ended > 0);
  for (const { what, inUse, ended } of others) {
    out(`under another key: ${inUse} ${what}${ended > 0 ? `, and ${ended} that have ended` : ''}`);
  }
  const rotatedAt = await newestAuditOf(db.read, KEY_ROTATE);
  if (rotatedAt > 0) out(`audit log: entries before ${rotatedAt} are sealed under a key before`);
  if (others.length === 0) out('nothing is under another key');
}

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
