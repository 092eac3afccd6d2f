// Corrections that are interrupted, that run while lines are stored, and that outlive new rules of fingerprints.
import { statement } from '@quarterdeck/core/db';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupCorrections } from '../../../../../packages/store/src/correct/corrections.ts';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import { refingerprint } from '../../../../../packages/store/src/write/refingerprint.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { openStore, type TestStore } from '../../open-store.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';

let store: TestStore;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store[Symbol.asyncDispose]());

const BY = { actor: 'ann', nowMs: Date.now() };
const UNHINDERED = { onStep: async () => {} };
const audited = async () => {};
const [ALPHA, BETA] = ['resolver gave up', 'lookup without answer'] as const;
const login = (user: string, n: number) => `login of user=${user} failed after ${n} ms`;

const corrections = (hooks = UNHINDERED) => groupCorrections(store.db, hooks);
const append = (lines: readonly GroupLine[]) => storeGroups(store.db, lines);
const line = (log: string, node_id = 1): GroupLine => ({ level: 4, log, node_id });
const groups = async () =>
  (await store.db.read.prisma.errlog.findMany({ orderBy: { id: 'asc' } })).map(({ id, count, log, ...group }) => ({
    ...group,
    id: Number(id),
    count: Number(count),
    log,
  }));
const idOf = async (log: string) => (await groups()).find((group) => group.log === log)?.id ?? 0;
const sum = (list: readonly { readonly count: number }[]) => list.reduce((all, { count }) => all + count, 0);

/** Fails in the n-th step, as a server that is killed then. */
function killedIn(n: number) {
  let steps = 0;
  return {
    onStep: async () => {
      steps += 1;
      if (steps === n) throw new Error('killed');
    },
  };
}

describe('a merge', () => {
  it('leaves each source whole when a server is killed, and is carried out by another one', async () => {
    const nodes = Array.from({ length: 230 }, (_, i) => i);
    await append(nodes.flatMap((node) => [line(ALPHA, node), line(BETA, node)]));
    const ids = [await idOf(ALPHA), await idOf(BETA)];
    await expect(corrections(killedIn(2)).merge(ids, BY, audited)).rejects.toThrow('killed');
    const half = await groups();
    expect(half.length).toBe(2 * 230 - 200);
    await expectTrueCounters(store.db);
    await append([line(BETA, 3), line(BETA, 229)]);
    expect((await groups()).length).toBe(half.length);
    await corrections().continueAll(BY.nowMs, () => false);
    await append([line(BETA, 3), line(ALPHA, 229), line(BETA, 1_000)]);
    const merged = await groups();
    expect(merged.length).toBe(231);
    expect(new Set(merged.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(sum(merged)).toBe(2 * 230 + 5);
    await expectTrueCounters(store.db);
  });

  it('holds after new rules of fingerprints', async () => {
    await append([line(ALPHA), line(BETA)]);
    await corrections().merge([await idOf(ALPHA), await idOf(BETA)], BY, audited);
    await store.db.write(async ({ sql }) => {
      await sql.run(statement("UPDATE errlog_alias SET fingerprint = '0former' || id"));
      await sql.run(statement("DELETE FROM setting WHERE name = 'errlog_rules'"));
      await sql.run(
        statement(
          "UPDATE setting SET value = CAST(CAST(value AS bigint) + 1 AS TEXT) WHERE name = 'errlog_corrections'",
        ),
      );
    });
    const { openThread: _, ...others } = store.db;
    await refingerprint({ ...others, dialect: store.db.dialect, read: store.db.read }, () => false);
    await append([line(BETA), line(ALPHA)]);
    expect((await groups()).map(({ count }) => count)).toEqual([4]);
  });
});

describe('a split', () => {
  const chosen = async () => {
    const id = (await groups())[0]?.id ?? 0;
    const texts = ['ann', 'bob', 'ann', 'eve'].map(login);
    return [id, [{ group: id, log: login('ann', 0) }], texts] as const;
  };

  it('is carried out by another server when one is killed before its last step', async () => {
    await append(['ann', 'bob', 'ann', 'eve'].map((user, n) => line(login(user, n))));
    await createPacker(store.db).packAll();
    await append([line(login('ann', 7), 2)]);
    const [id, lines, texts] = await chosen();
    await expect(corrections(killedIn(1)).split(id, lines, texts, BY, audited)).rejects.toThrow('killed');
    await expectTrueCounters(store.db);
    await append([line(login('ann', 8)), line(login('bob', 9), 2)]);
    await corrections().continueAll(BY.nowMs, () => false);
    await append([line(login('ann', 10))]);
    const after = await groups();
    expect(after.map(({ log, count }) => [log.replace(/\d+/, ''), count]).sort()).toEqual(
      [
        ['login of user=ann failed after  ms', 1],
        ['login of user=ann failed after  ms', 4],
        ['login of user=bob failed after  ms', 1],
        ['login of user=eve failed after  ms', 2],
      ].sort(),
    );
    await expectTrueCounters(store.db);
  });

  it('loses no line and counts none twice while lines are stored and packed', async () => {
    const users = ['ann', 'bob', 'eve'];
    await append(users.map((user, n) => line(login(user, n))));
    const [id, lines, texts] = await chosen();
    const packer = createPacker(store.db);
    const batch = (n: number) => append(users.map((user) => line(login(user, n), 1 + (n % 2))));
    await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => batch(n)),
      corrections().split(id, lines, texts, BY, audited),
      packer.packAll(),
      ...Array.from({ length: 10 }, (_, n) => batch(n)),
    ]);
    await corrections().continueAll(BY.nowMs, () => false);
    await batch(1);
    await batch(2);
    await expectTrueCounters(store.db);
    const after = await groups();
    expect(sum(after)).toBe(3 * 23);
    expect(sum(after.filter(({ log }) => log.includes('ann')))).toBe(23);
    expect(after.length).toBe(4);
    await packer.close();
  });
});
