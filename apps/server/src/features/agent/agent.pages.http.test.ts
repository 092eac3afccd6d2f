// Pages of the list of agents, near and far.
import { beforeAll, describe, expect, it } from 'vitest';
import { everyThird } from '../../../../../test/thoroughness.ts';
import { agentCalls } from '../../../test/agent-calls.ts';
import { storeAgents } from '../../../test/fleet.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const COUNT = 460;
const DELETED = 30;

const api = useSteadyApi();
const { ask, agentsBy } = agentCalls(api);

beforeAll(async () => {
  const ids = await storeAgents(api, COUNT);
  // Deleted agents at both ends and in between.
  const gone = ids.filter((_, at) => at % 16 === 0 || at === COUNT - 1);
  expect(gone).toHaveLength(DELETED);
  await api.admin.agent.bulk({ body: { ids: gone, action: 'delete' } });
  expect(await agentsBy('sort=-created')).toHaveLength(COUNT - DELETED);
});

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
        for (const page of everyThird([1, 3, 2, 4, 31, 5, 61, 32, 33, 66, 62, 67], more.length)) {
          const wanted = whole.slice((page - 1) * size, page * size);
          expect(await pageOf(`_page=${page}&_pagesize=${size}&sort=${sort}${more}`), `${sort} ${page}`).toEqual(
            wanted,
          );
        }
      }
    }
  });
});
