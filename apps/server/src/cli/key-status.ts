import { newestAuditOf } from '../features/audit/audit.repo.ts';
import { KEY_ROTATE } from '../features/audit/chain-walk.ts';
import { readKeyUse } from '../features/key/key-usage.repo.ts';
import type { CommandCall } from './command.ts';

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
