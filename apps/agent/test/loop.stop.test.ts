import { mkdir, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { refusal, secretNumber, startFakeConsole } from './fake-console.ts';
import { runAgainst, startAgent } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

describe('when it is stopped', () => {
  it('reports the shutdown', async () => {
    const { server, agent } = await startAgent();
    await agent.stop();
    expect(server.seen.at(-1)).toEqual({
      what: 'shutdown',
      path: '/api/agents/7/shutdown',
      token: secretNumber(1),
      body: undefined,
    });
    expect(agent.said('info')).toEqual(['enrolled', 'stopped; reported it']);
  });

  it('ends without an answer of the server', async () => {
    const { server, agent } = await startAgent();
    server.goDown();
    await agent.stop();
    expect(agent.said('info')).toEqual(['enrolled', 'stopped; could not report it']);
  });

  it('does not wait for a hanging report, nor long for a hanging shutdown', async () => {
    const { server, agent } = await startAgent();
    server.next.push('hang', 'hang');
    const woken = agent.wake();
    await server.until(({ length }) => length === 2);
    agent.abort();
    await agent.ended;
    expect(server.seen.map(({ what }) => what)).toEqual(['register', 'heartbeat', 'shutdown']);
    expect(agent.said('info', 'warn')).toEqual(['enrolled', 'stopped; could not report it']);
    void woken;
  });

  it('reports no shutdown when it was never enrolled', async () => {
    const server = await startFakeConsole();
    server.next.push(refusal(403, 'forbidden'));
    const agent = await runAgainst(server);
    await agent.rested();
    await agent.stop();
    expect(server.seen.map(({ what }) => what)).toEqual(['register']);
    expect(agent.said('info')).toEqual(['stopped']);
  });
});

describe('when the state cannot be saved', () => {
  it('continues in memory, logs it once, and saves later', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    const obstacle = `${dir}/state.json.tmp`;
    await mkdir(`${obstacle}/in the way`, { recursive: true });
    const agent = await runAgainst(server, { dir });
    await agent.wake();
    expect(server.seen.map(({ what }) => what)).toEqual(['register', 'heartbeat']);
    expect(agent.said('error')).toHaveLength(1);
    await rm(obstacle, { recursive: true });
    await agent.wake();
    expect((await agent.stateFile.load()).state?.enrollment?.secret).toBe(secretNumber(1));
  });
});
