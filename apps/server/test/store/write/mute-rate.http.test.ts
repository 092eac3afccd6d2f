// A mute by rate, to the second.
import { type Database, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type TestStore } from '../../open-store.ts';
import { storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const RATE = { count: 10, seconds: 600, until: '10x/10m' };
const NOW_S = 1_795_000_000;
const MUTE = statement("UPDATE errlog SET state = 'muted', until = ?, state_since = ? WHERE log = ?");

let store: TestStore;
let db: Database;
beforeAll(async () => {
  store = await openStore();
  db = store.db;
});
afterAll(() => store[Symbol.asyncDispose]());

/** A group that has been muted for an hour; `at` lets it happen so many seconds behind a second of that hour. */
async function mutedGroup() {
  const log = word();
  await storeGroups(db, [{ level: 4, log, log_time: NOW_S - 3_700 }], (NOW_S - 3_700) * 1000);
  await db.write(({ sql }) => sql.run(MUTE, RATE.until, NOW_S - 3_600, log));
  return {
    at: (...lines: [seconds: number, count: number][]) => {
      const from = NOW_S - 1_800;
      const body = lines.map(([after, count]) => ({ level: 4, log, log_time: from + after, count }));
      return storeGroups(db, body, NOW_S * 1000);
    },
    state: async () => (await db.read.prisma.errlog.findFirstOrThrow({ where: { log } })).state,
  };
}

describe('a group that is muted by rate', () => {
  it.each([
    [RATE.seconds, 'muted'],
    [RATE.seconds - 1, 'ongoing'],
  ])('with what happened before, %i seconds ago, is %s', async (seconds, state) => {
    const { at, state: stateNow } = await mutedGroup();
    // Stored together with what counts in both cases.
    await at([0, 8], [1, 1]);
    expect(await stateNow()).toBe('muted');
    await at([seconds, 1]);
    expect(await stateNow()).toBe(state);
  });

  it.each([
    [RATE.seconds + 1, 'muted'],
    [RATE.seconds, 'ongoing'],
  ])('with what came in the same batch, %i seconds before its last line, is %s', async (seconds, state) => {
    const { at, state: stateNow } = await mutedGroup();
    await at([0, 9], [seconds, 1]);
    expect(await stateNow()).toBe(state);
  });
});
