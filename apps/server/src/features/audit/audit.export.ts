// Export of the audit log as NDJSON, with the chain. A broken export goes on after the last id it has.
import type { Database } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import { auditAfter, newestAudit, toEntry } from './audit.repo.ts';

const READ_BATCH = 500;
/** Entries formatted between two pauses. */
const PART = 50;

/** Yields entries as pieces of text, in their order, up to the entry that was the newest when the export began. */
export async function* exportAudit({ read }: Pick<Database, 'read'>, afterId: number): AsyncGenerator<string> {
  const yields = new EventLoopYield();
  const end = await newestAudit(read);
  for (let last = afterId; last < end; ) {
    const rows = await auditAfter(read, last, READ_BATCH);
    for (let at = 0; at < rows.length; at += PART) {
      await yields.pause();
      yield rows
        .slice(at, at + PART)
        .filter(({ id }) => id <= end)
        .map((row) => `${JSON.stringify(toEntry(row))}\n`)
        .join('');
    }
    if (rows.length < READ_BATCH) return;
    last = rows.at(-1)?.id ?? end;
  }
}
