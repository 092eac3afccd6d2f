import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECT, startApi, type TestApi, useApi } from '../../../test/start-api.ts';
import { tokenStore } from '../../../test/token-store.ts';

const HOUR_MS = 3_600_000;
const MAX = 500;
const FULL = { status: 409, code: 'token_limit_reached' };

const api = useApi();
/** On PostgreSQL a second server over the same database. */
let other: TestApi | undefined;
beforeAll(async () => {
  other = DIALECT === 'sqlite' ? undefined : await startApi(api.sharing);
});
afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
});

const { storeTokens } = tokenStore(() => api);

type Person = Awaited<ReturnType<TestApi['person']>>;
const liveOf = ({ id }: Person) =>
  api.server.deps.db.read.prisma.apiToken.count({
    where: { userId: id, OR: [{ expireMs: 0n }, { expireMs: { gt: BigInt(api.now()) } }] },
  });

describe('the API tokens of one user', () => {
  it('are 500 at most, also with twenty parallel requests and room for one', async () => {
    const person = await api.person('operator');
    await storeTokens(person.id, Array(MAX - 1).fill({}));
    const clients = [api, other].flatMap((one) =>
      one === undefined ? [] : [createClient({ url: one.url, sessionToken: person.token })],
    );
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => clients[n % clients.length]?.apiToken.create({ body: {} })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(FULL);
    expect(await liveOf(person)).toBe(MAX);
    // Others are not touched by it.
    await (await api.person('viewer')).client.apiToken.create({ body: {} });
  });

  it('stay and work beyond the limit; disabled ones count, expired ones do not', async () => {
    const { id, client } = await api.person('operator');
    const expireMs = api.now() + HOUR_MS;
    const secrets = await storeTokens(id, [
      ...Array(MAX).fill({ disabled: true }),
      { name: 'works' },
      ...Array(50).fill({ expireMs: 1 }),
      { name: 'revived', expireMs },
    ]);
    const works = api.using(secrets[MAX] ?? '');
    await works.user.me();
    await expect(client.apiToken.create({ body: {} })).rejects.toMatchObject(FULL);
    await expect(works.apiToken.create({ body: {} })).rejects.toMatchObject(FULL);
    const { data } = await client.apiToken.list({ query: { page_size: 1000, detail: 1 } });
    const idOf = (name: string) => data.find((token) => token.name === name)?.id ?? 0;
    // An update or a rotation makes no token more.
    await client.apiToken.update({ params: { id: idOf('works') }, body: { name: 'still works' } });
    await client.apiToken.rotate({ params: { id: idOf('works') } });

    api.advance(HOUR_MS);
    const revive = () => client.apiToken.update({ params: { id: idOf('revived') }, body: { expire: 0 } });
    await expect(revive()).rejects.toMatchObject(FULL);
    for (const token of data.filter(({ state }) => state === 'disabled').slice(0, 2)) {
      await expect(client.apiToken.create({ body: {} })).rejects.toMatchObject(FULL);
      await client.apiToken.remove({ params: { id: token.id } });
    }
    await revive();
    await expect(client.apiToken.create({ body: {} })).rejects.toMatchObject(FULL);
  });
});
