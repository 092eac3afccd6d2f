// Pages of the list of agents, near and far.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const COUNT = 460;
const DELETED = 30;

let api: TestApi;
let newestFirst: number[];
const { ask, agentsBy, storeAgents } = agentCalls(() => api);

beforeAll(async () => {
  api = await startApi();
  const ids = await storeAgents(COUNT);
  // Deleted agents at both ends and in between.
  const gone = ids.filter((_, at) => at % 16 === 0 || at === COUNT - 1);
  expect(gone).toHaveLength(DELETED);
  await api.admin.agent.bulk({ body: { ids: gone, action: 'delete' } });
  newestFirst = (await agentsBy('sort=-created')).map(({ id }) => id);
  expect(newestFirst).toHaveLength(COUNT - DELETED);
});
afterAll(() => api[Symbol.asyncDispose]());

const pageOf = async (query: string): Promise<number[]> => {
  const { status, body } = await ask('GET', `?${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: number }) => id);
};

describe('pages of the list of agents', () => {
  it.each(['', '&detail=1', '&include_deleted=1', '&online=1'])('continue to the end (%s)', async (more) => {
    for (const sort of ['-created', 'created']) {
      const whole = await pageOf(`_pagesize=10000&sort=${sort}${more}`);
      for (const size of [7, 100]) {
        for (const page of [1, 2, 3, 4, 5, 31, 32, 33, 61, 62, 66, 67]) {
          const wanted = whole.slice((page - 1) * size, page * size);
          expect(await pageOf(`_page=${page}&_pagesize=${size}&sort=${sort}${more}`), `${sort} ${page}`).toEqual(
            wanted,
          );
        }
      }
    }
  });

  it('are in the order of creation', async () => {
    const one = (at: number, sort: string) => pageOf(`_page=${at + 1}&_pagesize=1&sort=${sort}`);
    const last = newestFirst.length - 1;
    for (const at of [200, 201, last / 2, last / 2 + 1, last - 1, last].map(Math.floor)) {
      expect(await one(at, '-created')).toEqual([newestFirst[at]]);
      expect(await one(last - at, 'created')).toEqual([newestFirst[at]]);
    }
    expect(await one(last + 1, '-created')).toEqual([]);
  });
});
