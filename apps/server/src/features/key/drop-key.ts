// Drops the key before: it is accepted no more, and its file is deleted.

import { readSetting, storeSetting } from '@quarterdeck/core/sql';
import { KEY_OLDEST } from '../../auth/key-check.ts';
import { removeOldKeyFile } from '../../auth/key-files.ts';
import { AUDIT_FORMER, BROKEN_ENTRIES, NO_ENTRIES, readFormer, sealFormer } from '../audit/audit.former.ts';
import { lockAudit } from '../audit/audit.repo.ts';
import { beginWalk, readStoredEnds, type StoredEnds, walkAll } from '../audit/audit.verify.ts';
import type { KeyDeps } from './rotate-key.ts';

/** The audit log is not intact, so no digest over the entries under the old key may replace that key. */
export class BrokenLogError extends Error {
  override readonly name = 'BrokenLogError';
}

/**
 * Drops all keys before the one in use. `numbers` is for the audit log; `isForced` drops them although the audit log is
 * broken, which then stays broken.
 *
 * @throws BrokenLogError for a broken audit log
 */
export async function dropOldKeys(
  deps: KeyDeps,
  numbers: Readonly<Record<string, number>>,
  isForced: boolean,
): Promise<void> {
  const { db, key: keys, audit, dataDir } = deps;
  const { generation } = keys;
  while (Number((await readSetting(db.read, KEY_OLDEST)) ?? 1) < generation) {
    const ends = await readStoredEnds(db.read, keys);
    const former = await digestOf(deps, ends, isForced);
    await db.write(async (tx) => {
      await lockAudit(tx);
      const now = await readStoredEnds(tx, keys);
      // Retention has removed entries since: they are to be digested again.
      if (now.start !== ends.start || now.former !== ends.former) return;
      if (former !== undefined) await storeSetting(tx, AUDIT_FORMER, sealFormer(now.key, former));
      await storeSetting(tx, KEY_OLDEST, String(generation));
      await audit.record(tx, { action: 'key.drop_old', actor: 'local', detail: { key: generation, dropped: numbers } });
    });
  }
  keys.use(keys.check, generation);
  removeOldKeyFile(dataDir);
}

/** Digests the entries before those under the key in use; undefined where there are none. */
async function digestOf({ db, key: keys }: KeyDeps, ends: StoredEnds, isForced: boolean) {
  const walk = beginWalk(keys, ends);
  const isIntact = walk !== undefined && (await walkAll(db, walk)) && walk.hasReached(ends.key);
  const before = walk?.beforeKey;
  const base = ends.former === undefined ? NO_ENTRIES : (readFormer(ends.key, ends.former)?.base ?? NO_ENTRIES);
  if (isIntact) return before === undefined ? undefined : { until: before.id, base, digest: before.digest };
  if (!isForced) {
    throw new BrokenLogError('the audit log is not intact; see "quarterdeckd audit verify"');
  }
  return { until: walk?.position.id ?? 1, base, digest: BROKEN_ENTRIES };
}
