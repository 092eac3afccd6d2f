import { type IncomingMessage, ServerResponse } from 'node:http';
import { type Actor, contract, type Endpoint, ROLES } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { userActor } from '../../test/user-actor.ts';
import { RAW_ENDPOINTS } from './endpoints/raw-endpoints.ts';
import { createWriteLimit } from './write-limit.ts';

const actorOf = (id: number, kind: 'session' | 'api_token' = 'api_token'): Actor => ({
  ...userActor(1, { kind, id }),
  permissions: ROLES.viewer,
});

function limit() {
  let nowMs = 1_000_000;
  const { count } = createWriteLimit(() => nowMs);
  return {
    pass(ms: number) {
      nowMs += ms;
    },
    /** Counts a request; returns the headers of its answer, and the refusal, if any. */
    ask(actor: Actor | null, endpoint: Endpoint = contract.apiToken.create, method: string = endpoint.method) {
      const res = new ServerResponse({ method } as IncomingMessage);
      let error: unknown;
      try {
        count(endpoint, method, actor, res);
      } catch (thrown) {
        error = thrown;
      }
      return { error, headers: { ...res.getHeaders() } };
    },
  };
}

describe('writes of one credential', () => {
  it('may come five hundred at once, and then fifty a second', () => {
    const { ask, pass } = limit();
    const taken = () => {
      let count = 0;
      while (ask(actorOf(1)).error === undefined) count += 1;
      return count;
    };
    expect(taken()).toBe(500);
    for (const [ms, count] of [
      [19, 0],
      [1, 1],
      [1_000, 50],
      [9_999, 499],
      [100_000, 500],
    ] as const) {
      pass(ms);
      expect([ms, taken()]).toEqual([ms, count]);
    }
  });

  it('do not count against another one, also of the same user', () => {
    const { ask } = limit();
    const left = (actor: Actor) => ask(actor).headers['ratelimit'];
    const agent: Actor = { kind: 'agent', agentId: 1, permissions: [] };
    const enrollment: Actor = { kind: 'enrollment', enrollmentId: 1, permissions: [] };
    for (const r of [499, 498]) {
      for (const actor of [actorOf(1), actorOf(2), actorOf(1, 'session'), agent, enrollment]) {
        expect(left(actor)).toBe(`"write";r=${r};t=1`);
      }
    }
  });

  it('are removed for the least recently used credential beyond ten thousand', () => {
    const { ask } = limit();
    const left = (id: number) => ask(actorOf(id)).headers['ratelimit'];
    for (let id = 0; id < 10_000; id += 1) left(id);
    expect(left(0)).toBe('"write";r=498;t=1');
    left(10_000);
    expect(left(0)).toBe('"write";r=497;t=1');
    expect(left(1)).toBe('"write";r=499;t=1');
  });
});

describe('a request', () => {
  it.each([
    ['reads', contract.apiToken.list, 'GET', actorOf(1)],
    ['asks for the head alone', contract.apiToken.list, 'HEAD', actorOf(1)],
    ['comes from nobody', contract.user.login, 'POST', null],
    ['brings log lines', contract.errlog.append, 'POST', actorOf(1)],
    ['is a report of an agent', contract.agent.heartbeat, 'POST', actorOf(1)],
  ] as const)('does not count when it %s', (_, endpoint, method, actor) => {
    expect(limit().ask(actor, endpoint, method)).toEqual({ error: undefined, headers: {} });
  });

  it('counts otherwise, whatever it changes; outside the contract there are only reads and log lines', () => {
    const all: Endpoint[] = Object.values(contract).flatMap((table) => Object.values(table));
    const uncounted = all.filter((endpoint) => endpoint.uncounted);
    expect(uncounted).toEqual([contract.errlog.append, contract.agent.heartbeat]);
    for (const { method, uncounted: free } of Object.values(RAW_ENDPOINTS)) expect(method === 'GET' || free).toBe(true);
  });
});
