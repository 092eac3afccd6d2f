// Bodies that are expensive to read: each is refused as a whole, or stored to the last line.
import { expect, it } from 'vitest';
import { type Bomb, makeBombs } from '../../../test/faults/bombs.ts';
import { nonEmpty } from '../../../test/non-empty.ts';
import { useApi } from './start-api.ts';

const api = useApi();

/** Large bodies within the bounds. */
const STORED = /long key|many keys of a record|wide resource|searched for|dense|blank lines/;
/** Bodies that do not match their headers. */
const MALFORMED = /refused|groups|protobuf, nested/;

async function countOf(): Promise<number> {
  const { data } = await api.admin.errlog.list({ query: { page_size: 10_000 } });
  return data.reduce((sum, { count }) => sum + count, 0);
}

async function send({ path, headers, body }: Bomb): Promise<{ status: number; code: string | undefined }> {
  const answer = await fetch(api.url + path, {
    method: 'POST',
    headers: { 'edge-token': api.adminToken, ...headers },
    body: new Uint8Array(body),
  });
  const text = await answer.text();
  return { status: answer.status, code: answer.ok ? undefined : JSON.parse(text).err.code };
}

const bombs = makeBombs();

it.each(nonEmpty(bombs.filter(({ name }) => !STORED.test(name) || name.includes('dry run'))))(
  '$name: refused',
  async (bomb) => {
    const before = await countOf();
    const { status, code } = await send(bomb);
    if (MALFORMED.test(bomb.name)) {
      expect(status).toBe(400);
      expect(['bad_request', 'nothing_accepted']).toContain(code);
    } else expect([status, code]).toEqual([413, 'too_large']);
    expect(await countOf()).toBe(before);
  },
);

it('takes eight at once without a failure of ours, and stores what comes then', async () => {
  const some = bombs.filter(({ name }) => /empty records|nested arrays|empty objects$/.test(name));
  const answers = await Promise.all(some.flatMap((bomb) => Array.from({ length: 8 }, () => send(bomb))));
  for (const { status } of answers) expect([400, 413]).toContain(status);
  expect((await api.admin.errlog.append({ body: [{ level: 4, log: 'afterwards' }] })).accepted).toBe(1);
});

it.each(nonEmpty(bombs.filter(({ name }) => STORED.test(name) && !name.includes('dry run'))))(
  '$name: stored',
  async (bomb) => {
    const before = await countOf();
    expect(await send(bomb)).toEqual({ status: 200, code: undefined });
    expect((await countOf()) - before).toBe(bomb.lines);
  },
);
