import { resolve } from 'node:path';
import { openThreadReader } from '@quarterdeck/core/db';
import { type DamagedSegment, findDamage } from '@quarterdeck/store';
import { checkBackup } from '../backup/check-backup.ts';
import { describeBackup } from '../backup/describe-backup.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';

export async function verifyBackup({ args: [file = ''], config, out, say }: CommandCall): Promise<void> {
  const checked = await checkBackup(resolve(file), config());
  for (const line of describeBackup(checked)) out(line);
  const { seal, sealText } = checked;
  if (seal === 'wrong') throw new Refusal(`${checked.file} is not authentic: ${sealText}`);
  if (seal === 'authentic') out(sealText);
  else say(sealText);
  if (checked.database === 'sqlite') await checkLines(checked.file);
  out('the backup is intact');
}

/** Refuses a copy of damaged lines. The lines in a dump of PostgreSQL can only be checked once it is restored. */
async function checkLines(file: string): Promise<void> {
  const reader = await openThreadReader({ dialect: 'sqlite', file });
  try {
    const [first, ...others] = await reader.snapshot(async (sql) => {
      const damaged: DamagedSegment[] = [];
      for await (const segment of findDamage({ sql })) damaged.push(segment);
      return damaged;
    });
    if (first === undefined) return;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    throw new Refusal(
      `${file} holds stored lines that were damaged when it was made: segment ${first.id} (${first.parts.join(', ')})${more}; ` +
        'an older backup may have them whole',
    );
  } finally {
    await reader.close();
  }
}
