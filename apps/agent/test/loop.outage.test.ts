import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { FACTS, type Reply, refusal, startFakeConsole, success } from './fake-console.ts';
import { ENROLL_TOKEN, runAgainst, startAgent } from './running-agent.ts';

const AWAY = 'the server does not answer; retrying until it does';
const BACK = 'the server answers again';

describe('while the server does not answer', () => {
  it('retries with back-off up to the interval, logs it once, and reports all facts afterwards', async () => {
    const { server, agent } = await startAgent();
    server.goDown();
    const waits: number[] = [];
    for (let i = 0; i < 7; i += 1) waits.push(await agent.wake());
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    server.comeBack();
    expect(await agent.wake()).toBe(30_000);
    await agent.wake();
    expect(server.seen.map(({ what, body }) => [what, body]).slice(1)).toEqual([
      ['heartbeat', FACTS],
      ['heartbeat', {}],
    ]);
    expect(agent.said('warn', 'info')).toEqual(['enrolled', AWAY, BACK]);
  });

  it('begins with short waits again at the next outage', async () => {
    const { server, agent } = await startAgent();
    const waits: number[] = [];
    for (let outage = 0; outage < 2; outage += 1) {
      server.goDown();
      for (let tries = 0; tries < 3; tries += 1) waits.push(await agent.wake());
      server.comeBack();
      await agent.wake();
    }
    expect(waits).toEqual([500, 1_000, 2_000, 500, 1_000, 2_000]);
    expect(agent.said('warn', 'info')).toEqual(['enrolled', AWAY, BACK, AWAY, BACK]);
  });

  it('enrolls when the server starts later than the agent', async () => {
    const server = await startFakeConsole();
    server.goDown();
    const agent = await runAgainst(server);
    await agent.wake();
    server.comeBack();
    await agent.wake();
    expect(agent.said('warn', 'info')).toEqual([AWAY, 'enrolled', BACK]);
  });

  it('waits as long as the server asks', async () => {
    const server = await startFakeConsole();
    server.next.push(refusal(503, 'overloaded', { 'retry-after': '20' }));
    const agent = await runAgainst(server);
    expect(await agent.rested()).toBe(20_500);
  });
});

describe('whatever the server answers', () => {
  const odd = (body: unknown, status = 200, headers: Record<string, string> = {}): Reply => ({ status, headers, body });

  const answers: readonly [string, Reply | 'cut'][] = [
    ['nothing, the connection breaks', 'cut'],
    ['an empty body', odd('')],
    ['half an envelope', odd('{"status": 0, "da')],
    ['an envelope without data', odd({ status: 0 })],
    ['data of another kind', success([1, 2])],
    ['null', success(null)],
    ['no secret', success({ id: 7, interval: 30 })],
    ['a secret that no header can carry', success({ id: 7, secret: 'a\r\nX-Evil: 1', interval: 30 })],
    ['an id that is none', success({ id: 0, secret: 'x', interval: 30 })],
    ['an interval that is none', success({ id: 7, secret: 'x', interval: '30' })],
    ['a page', odd('<html>', 502, { 'content-type': 'text/html' })],
    ['a redirect', odd('', 302, { location: 'http://elsewhere.example/' })],
    ['a redirect without end', odd('', 308, { location: '/api/agents/register' })],
    ['no content', odd('', 204)],
    ['a strange status', odd('', 599)],
    ['an answer that does not end', odd(`"${'x'.repeat(5_000_000)}"`)],
    ['a failure of the server', refusal(500, 'internal')],
    ['an absurd Retry-After', refusal(429, 'too_many_requests', { 'retry-after': '99999999999999999999' })],
    [
      'an error with its own ideas',
      odd({ status: -1, msg: 1, err: { code: {}, fields: [null, 1, { path: 3 }] } }, 418),
    ],
    ['a code full of secrets', refusal(409, ENROLL_TOKEN)],
  ];

  it.each(nonEmpty(everyThird(answers, 1)))('it goes on: %s', async (_, answer) => {
    const server = await startFakeConsole();
    server.next.push(answer, answer, answer);
    const agent = await runAgainst(server);
    const waits = [await agent.rested(), await agent.wake(), await agent.wake()];
    for (const ms of waits) expect(ms).toBeGreaterThanOrEqual(100);
    for (const ms of waits) expect(ms).toBeLessThanOrEqual(700_000);
    server.next.length = 0;
    await agent.wake();
    expect(agent.said('info')).toContain('enrolled');
    expect(agent.lines.join('')).not.toContain('Canary');
  });
});

it.each([success({ interval: 'often' }), success({}), success(null), { body: { status: 0 } }])(
  'takes an answer to a report that says nothing useful for none: %j',
  async (answer) => {
    const { server, agent } = await startAgent();
    server.next.push(answer);
    expect(await agent.wake()).toBe(500);
    expect(agent.said('warn')).toEqual([AWAY]);
    expect((await agent.stateFile.load()).state?.enrollment?.interval).toBe(30);
  },
);

it('writes no secret to its log, whatever happens', async () => {
  const { server, agent } = await startAgent();
  server.next.push(refusal(401, 'credential_invalid'), refusal(401, 'credential_invalid'));
  await agent.wake();
  server.next.push(refusal(404, 'not_found'));
  await agent.wake();
  server.next.push('cut', refusal(400, 'validation_failed'));
  await agent.wake();
  await agent.wake();
  server.goDown();
  await agent.wake();
  await agent.stop();
  expect(agent.lines.length).toBeGreaterThan(8);
  expect(agent.lines.join('')).not.toMatch(/Canary|qd_[a-z]_/);
});
