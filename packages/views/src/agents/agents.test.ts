import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { agent } from '../../test/rows.ts';
import { agentBlocks, bulkAgents, splitBlock } from './agents.ts';

/** A client of a server that gives these answers in order, and the requests it received. */
function answering(...answers: readonly unknown[]) {
  const bodies: unknown[] = [];
  const rest = [...answers];
  const client = createClient({
    url: 'http://quarterdeck.test',
    apiToken: `qd_t_${'T'.repeat(49)}`,
    async fetch(_, init) {
      if (typeof init?.body === 'string') bodies.push(JSON.parse(init.body));
      return Response.json({ status: 0, time: 1, data: rest.shift() }, { headers: { 'x-total-count': '2' } });
    },
  });
  return { client, bodies };
}

describe('agents by state', () => {
  it('are listed once each, even if one changes its state between two answers', async () => {
    const page = (...ids: number[]) => ids.map((id) => agent(id));
    const { client } = answering(page(1, 2), page(2, 3));
    const { data } = await agentBlocks(client, {}, 'trouble')({ from: 0, to: 10 }, new AbortController().signal);
    expect(data.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('share a block by their counts', () => {
    expect(splitBlock({ from: 0, to: 100 }, [5, 900])).toEqual([
      { from: 0, to: 100 },
      { from: 0, to: 95 },
    ]);
    expect(splitBlock({ from: 0, to: 100 }, [0, 900])).toEqual([
      { from: 0, to: 100 },
      { from: 0, to: 100 },
    ]);
    expect(splitBlock({ from: 800, to: 905 }, [5, 900])).toEqual([
      { from: 0, to: 0 },
      { from: 795, to: 900 },
    ]);
  });
});

describe('a change of many agents in parts', () => {
  it('sums the results of the parts', async () => {
    const { client, bodies } = answering(
      { matched: 2, done: 1, failed: [{ id: 2, msg: 'gone' }] },
      { matched: 3, done: 2, failed: [{ id: 5, msg: 'busy' }] },
    );
    const result = await bulkAgents(
      client,
      [
        { action: 'delete', ids: [1, 2] },
        { action: 'delete', ids: [3, 4, 5] },
      ],
      true,
    );
    expect(result).toMatchObject({ matched: 5, done: 3, failed: [{ id: 2 }, { id: 5 }] });
    expect(bodies.map((body) => (body as { dry_run: boolean }).dry_run)).toEqual([true, true]);
  });
});
