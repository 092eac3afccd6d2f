// Two servers that store lines of the same groups at the same time. All kept numbers are compared with the lines.
import { randomUUID } from 'node:crypto';
import type { ErrlogLine } from '@quarterdeck/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAllLines } from '../../all-lines.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { DIALECT, newPlace, type Place, startApi, type TestApi } from '../../start-api.ts';
import { word } from '../../word.ts';

let place: Place;
let servers: TestApi[];
const _start = async () => {
  servers = [await startApi(place.sharing), await startApi(place.sharing)];
};
beforeEach(async () => {
  place = await newPlace();
});
afterEach(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const first = () => servers[0] as TestApi;
const dbOf = ({ server }: TestApi) => server.deps.db;
// With a key the client repeats a call that found the database busy.
const append = (to: TestApi, lines: ErrlogLine[]) =>
  to.admin.errlog.append({ body: lines }, { idempotencyKey: randomUUID() });

/** Checks the kept numbers, and that the ids of lines have no gap. */
async function expectTrue(sent: number): Promise<void> {
  const db = dbOf(first());
  await expectTrueCounters(db);
  const lines = await readAllLines(db);
  expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(sent);
  expect(lines.map(({ id }) => id)).toEqual(lines.map((_, i) => i + (lines[0]?.id ?? 0)));
  const { meta } = await first().admin.errlog.list({ query: { page_size: 0 } });
  expect(meta.count).toBe(await db.read.prisma.errlog.count());
}

describe.skipIf(DIALECT === 'sqlite')('two servers on one database', () => {
  it('join new groups beyond the limit of their sender, while lines are packed', async () => {
    servers = [];
    for (let i = 0; i < 2; i += 1) servers.push(await startApi({ ...place.sharing, NEW_GROUPS_PER_MINUTE: '5' }));
    for (let round = 0; round < 3; round += 1) {
      const lines = Array.from({ length: 20 }, (_, i) => ({ level: i % 3, log: word(), node_id: i % 3 }));
      await Promise.all([
        ...servers.map((to, i) => append(to, i === 0 ? lines : lines.toReversed())),
        ...servers.map(({ server }) => server.jobs.runAll()),
      ]);
    }
    await expectTrue(120);
  });
});
