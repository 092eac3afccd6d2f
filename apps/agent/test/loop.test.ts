import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FACTS, type Reply, refusal, secretNumber, startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN, runAgainst, startAgent } from './running-agent.ts';

const BACK = 'the server answers again';
const REFUSED = 'the server refuses the requests of this agent; retrying each interval';
const FORGOTTEN =
  'the server rejects the credential of this agent; retrying less and less often, at least every ten minutes';

const OCCUPIED =
  'another agent with this node_id is online; retrying each interval until it is offline. ' +
  'If it runs on a copy of this host, give one of them another machine id';

describe('a new agent', () => {
  it('registers once with all facts, then reports only what changed', async () => {
    const { server, agent } = await startAgent();
    await agent.wake();
    agent.facts = { ...FACTS, ip: '192.0.2.99' };
    await agent.wake();
    await agent.wake();
    const as = { path: '/api/agents/7/heartbeat', what: 'heartbeat', token: secretNumber(1) };
    expect(server.seen).toEqual([
      { path: '/api/agents/register', what: 'register', token: ENROLL_TOKEN, body: { node_id: 'node-1', ...FACTS } },
      { ...as, body: {} },
      { ...as, body: { ip: '192.0.2.99' } },
      { ...as, body: {} },
    ]);
  });

  it('keeps its enrollment', async () => {
    const { server, agent } = await startAgent();
    const enrollment = { server: server.url, id: 7, secret: secretNumber(1), interval: 30 };
    expect(await agent.stateFile.load()).toEqual({ state: { node_id: 'node-1', enrollment } });
  });

  it('reports at the interval of the latest response', async () => {
    const server = await startFakeConsole();
    const agent = await runAgainst(server);
    expect(await agent.rested()).toBe(30_000);
    server.interval = 5;
    expect(await agent.wake()).toBe(5_000);
    server.interval = -1;
    expect(await agent.wake()).toBe(1_000);
    expect((await agent.stateFile.load()).state?.enrollment?.interval).toBe(1);
  });

  it('retries when the token is refused', async () => {
    const server = await startFakeConsole();
    server.next.push(refusal(401, 'credential_invalid'), refusal(401, 'credential_invalid'), refusal(403, 'forbidden'));
    const agent = await runAgainst(server);
    expect(await agent.rested()).toBe(30_000);
    expect(await agent.wake()).toBe(60_000);
    expect(agent.said('error')).toEqual([FORGOTTEN]);
    await agent.wake();
    await agent.wake();
    expect(agent.said('error')).toEqual([FORGOTTEN, REFUSED]);
    expect(agent.said('info')).toEqual(['enrolled', BACK]);
  });

  it('waits while another agent with its node id is online, logs it once, and enrolls afterwards', async () => {
    const server = await startFakeConsole();
    server.next.push(...Array(3).fill(refusal(409, 'conflict')));
    const agent = await runAgainst(server);
    for (const wait of [await agent.rested(), await agent.wake(), await agent.wake()]) expect(wait).toBe(30_000);
    await agent.wake();
    expect(server.seen.map(({ what }) => what)).toEqual(Array(4).fill('register'));
    expect(agent.said('warn', 'error')).toEqual([OCCUPIED]);
    expect(agent.said('info')).toEqual(['enrolled']);
  });

  it('enrolls with its host name alone when the server rejects a fact', async () => {
    const server = await startFakeConsole();
    server.next.push(refusal(400, 'validation_failed'));
    const agent = await runAgainst(server);
    await agent.rested();
    expect(server.seen.at(-1)?.body).toEqual({ node_id: 'node-1', hostname: 'web-1' });
    expect(agent.said('warn')).toEqual(['the server rejects these facts; continuing without them']);
  });
});

describe('an agent that comes back', () => {
  const secret = secretNumber(5);
  const stateFor = (url: string) => ({
    node_id: 'node-1',
    enrollment: { server: url, id: 3, secret, interval: 10 },
  });

  it('needs no token, and reports all facts first', async () => {
    const server = await startFakeConsole();
    const agent = await runAgainst(server, { token: undefined, state: stateFor(server.url) });
    await agent.wake();
    const as = { path: '/api/agents/3/heartbeat', what: 'heartbeat', token: secret };
    expect(server.seen).toEqual([
      { ...as, body: FACTS },
      { ...as, body: {} },
    ]);
  });

  it('reports its start time every ten minutes, which reveals copies that share its secret', async () => {
    const server = await startFakeConsole();
    server.interval = 300;
    const state = stateFor(server.url);
    const agent = await runAgainst(server, { state: { ...state, enrollment: { ...state.enrollment, interval: 300 } } });
    for (let reports = 1; reports < 6; reports += 1) await agent.wake();
    const { started } = FACTS;
    expect(server.seen.map(({ body }) => body)).toEqual([FACTS, {}, { started }, {}, { started }, {}]);
  });

  it('sends its vitals once a minute, and again where the server did not answer', async () => {
    const server = await startFakeConsole();
    let seconds = 0;
    const options = { state: stateFor(server.url), vitals: async () => ({ cpu: seconds }), now: () => seconds * 1000 };
    const agent = await runAgainst(server, options);
    await agent.rested();
    for (const second of [30, 60, 90, 120, 150, 200]) {
      seconds = second;
      if (second === 120) server.next.push(refusal(503, 'overloaded'));
      await agent.wake();
    }
    const sent = server.seen.map(({ body }) => (body as { vitals?: unknown }).vitals);
    expect(sent).toEqual(
      [0, undefined, 60, undefined, 120, 150, 200].map((cpu) => (cpu === undefined ? cpu : { cpu })),
    );
  });

  it('asks for the key of hashes at its start, and names the one that it has', async () => {
    const server = await startFakeConsole();
    const agent = await runAgainst(server, { state: stateFor(server.url), hashesFiles: true });
    await agent.rested();
    server.responseFields = { hash_key: Buffer.alloc(32, 7).toString('base64url') };
    server.next.push(refusal(503, 'overloaded'));
    for (let reports = 0; reports < 4; reports += 1) await agent.wake();
    const name = createHash('sha256').update(Buffer.alloc(32, 7)).digest('hex').slice(0, 16);
    const sent = server.seen.map(({ body }) => (body as { hash_key?: string }).hash_key);
    expect(sent).toEqual(['', undefined, '', name, undefined]);
    expect((await agent.stateFile.load()).state?.hash_key).toBe(server.responseFields['hash_key']);
  });

  it('enrolls at another server as the same node', async () => {
    const { server } = await startAgent({ state: stateFor('http://old.example') });
    expect(server.seen).toMatchObject([{ what: 'register', body: { node_id: 'node-1' } }]);
  });

  it.each([
    [401, 'credential_invalid'],
    [404, 'not_found'],
    [410, 'gone'],
  ])('enrolls again, once, when the server says %d', async (status, code) => {
    const server = await startFakeConsole();
    server.next.push(refusal(status, code));
    const agent = await runAgainst(server, { state: stateFor(server.url) });
    await agent.wake();
    expect(server.seen.map(({ what, token }) => [what, token])).toEqual([
      ['heartbeat', secret],
      ['register', ENROLL_TOKEN],
      ['heartbeat', secretNumber(1)],
    ]);
    expect((await agent.stateFile.load()).state?.enrollment?.secret).toBe(secretNumber(1));
  });

  it('keeps its secret after a page of something else, or from a server without agents', async () => {
    const server = await startFakeConsole();
    const page: Reply = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>404</h1>' };
    server.next.push(page, refusal(404, 'unknown_path'));
    const agent = await runAgainst(server, { state: stateFor(server.url) });
    await agent.wake();
    await agent.wake();
    expect(server.seen.map(({ what, token }) => [what, token])).toEqual(Array(3).fill(['heartbeat', secret]));
  });

  it('keeps its old secret until it has a new one', async () => {
    const server = await startFakeConsole();
    const denied = refusal(401, 'credential_invalid');
    server.next.push(denied, denied);
    const agent = await runAgainst(server, { state: stateFor(server.url) });
    expect(await agent.rested()).toBe(10_000);
    await agent.wake();
    expect(server.seen.map(({ what, token }) => [what, token])).toEqual([
      ['heartbeat', secret],
      ['register', ENROLL_TOKEN],
      ['heartbeat', secret],
    ]);
    expect(agent.said('error')).toEqual([FORGOTTEN]);
  });

  it('waits longer each time its credential is rejected, up to ten minutes, and says so once', async () => {
    const server = await startFakeConsole();
    const rejected = Array.from({ length: 7 }, () => refusal(401, 'credential_invalid'));
    server.next.push(...rejected.slice(0, 3), refusal(503, 'overloaded'), ...rejected.slice(3));
    server.interval = 10;
    const agent = await runAgainst(server, { token: undefined, state: stateFor(server.url) });
    const waits = [await agent.rested()];
    for (let i = 0; i < 7; i += 1) waits.push(await agent.wake());
    expect(waits.toSpliced(3, 1)).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000]);
    expect(await agent.wake()).toBe(10_000);
    expect(agent.said('error')).toEqual([FORGOTTEN]);
    expect(agent.said('info')).toEqual([BACK]);
    server.next.push(refusal(401, 'credential_invalid'));
    expect(await agent.wake()).toBe(10_000);
    expect(agent.said('error')).toEqual([FORGOTTEN, FORGOTTEN]);
  });

  it('waits without a token, and logs it once', async () => {
    const server = await startFakeConsole();
    const denied = refusal(401, 'credential_invalid');
    server.next.push(denied, denied, denied);
    const agent = await runAgainst(server, { token: undefined, state: stateFor(server.url) });
    await agent.wake();
    await agent.wake();
    await agent.wake();
    expect(server.seen.map(({ what }) => what)).toEqual(Array(4).fill('heartbeat'));
    expect(agent.said('error', 'info')).toEqual([FORGOTTEN, BACK]);
  });

  it('stays online when the server rejects a fact', async () => {
    const server = await startFakeConsole();
    server.next.push(refusal(400, 'validation_failed'));
    const agent = await runAgainst(server, { state: stateFor(server.url) });
    expect(await agent.rested()).toBe(30_000);
    await agent.wake();
    expect(server.seen.map(({ body }) => body)).toEqual([FACTS, {}, {}]);
  });

  it('warns of a copy of the host when it enrolls repeatedly', async () => {
    const server = await startFakeConsole();
    const agent = await runAgainst(server, { state: stateFor(server.url) });
    await agent.rested();
    for (let i = 0; i < 4; i += 1) {
      server.next.push(refusal(401, 'credential_invalid'));
      await agent.wake();
    }
    expect(agent.said('warn').filter((message) => message.includes('machine id'))).toHaveLength(1);
  });
});
