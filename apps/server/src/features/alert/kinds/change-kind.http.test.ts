// Rules about changes from outside that made errors worse.
import { afterEach, describe, expect, it } from 'vitest';
import { alertCalls } from '../../../../test/alert-kind-calls.ts';
import { MadeError, storeAgents } from '../../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';

const api = useSteadyApi();
const calls = alertCalls(api);
afterEach(() => removeFleet(api));

const MINUTES = Array.from({ length: 10 }, (_, n) => n * 60 + 7);

describe('a rule change.worse', () => {
  it('notifies of a change once, when errors got worse on its hosts, with these errors', async () => {
    const agents = await storeAgents(api, 8);
    const own = agents.slice(0, 3);
    const { db } = api.server.deps;
    const rows = await db.read.prisma.agent.findMany({ where: { id: { in: own } } });
    const id = await calls.watch({ when: { kind: 'change.worse' } });
    const time = Math.floor(api.now() / 1000);
    const body = {
      kind: 'deploy',
      name: 'shop',
      before: '1.4.1',
      after: '1.4.2',
      hosts: rows.map(({ nodeId }) => nodeId),
    };
    const change = await api.admin.change.create({ body: { ...body, time } });
    await calls.round();
    expect(await calls.alertsOf(id)).toEqual([]);

    const error = new MadeError(db);
    await error.onAgents(
      own,
      MINUTES.map((second) => time + second),
    );
    api.advance(11 * 60_000);
    await calls.round();
    await calls.round();
    expect(await calls.alertsOf(id)).toMatchObject([
      {
        key: `change:${change.id}`,
        messages: 1,
        title: `Errors got worse with deploy shop 1.4.1 -> 1.4.2: new is ${error.log}`,
        detail: { change_id: change.id, change: 'deploy', name: 'shop', hosts: 3, errors: 1, others: 5 },
        groups: [expect.any(Number)],
      },
    ]);
    const { examples } = await api.admin.alert.preview({ body: { when: { kind: 'change.worse' } } });
    expect(examples).toMatchObject([{ title: expect.stringContaining('Errors got worse with deploy shop') }]);
  });
});
