// The operation `upgrade` of an agent that replaces its own executable, up to the restart.
import { describe, expect, it } from 'vitest';
import { createSelfUpgrade } from '../../src/upgrade/operation.ts';
import { reports, startFakeConsole } from '../fake-console.ts';
import { type RunningAgent, runAgainst } from '../running-agent.ts';
import { temporaryFolder } from '../temporary.ts';
import { type Downloads, type Host, makeHost, startDownloads } from './downloads.ts';

const OPERATION = { id: 5, kind: 'upgrade', deadline: 2_000_000_000, seconds: 60 };

/** Runs an agent whose server requests an upgrade, until the agent restarts or has an answer. */
async function requestUpgrade(downloads: Downloads, host: Host, params = {}) {
  const server = await startFakeConsole();
  const dir = await temporaryFolder();
  const { promise: restarted, resolve: restart } = Promise.withResolvers<void>();
  const selfUpgrade = createSelfUpgrade({ upgrader: host.upgrader('0.1.0'), version: '0.1.0', restart });
  const agent = await runAgainst(server, { dir, actions: { selfUpgrade } });
  await agent.rested();
  server.responseFields = { operations: [{ ...OPERATION, params }] };
  await agent.wake();
  server.responseFields = {};
  return { server, agent, restarted, dir, downloads };
}

/** Wakes the agent until it has reported the end of the operation. */
async function endOf(server: Awaited<ReturnType<typeof startFakeConsole>>, agent: RunningAgent) {
  while (!/succeeded|failed/.test(reports(server).at(-1)?.state ?? '')) await agent.wake();
  return reports(server).at(-1);
}

async function prepare(version = '0.2.0') {
  const downloads = await startDownloads();
  downloads.offer(version);
  return [downloads, await makeHost(downloads)] as const;
}

describe('the operation upgrade', () => {
  it('puts the offered version on trial, restarts, and succeeds as that version', async () => {
    const [downloads, host] = await prepare();
    const { agent, restarted, server, dir } = await requestUpgrade(downloads, host);
    await restarted;
    expect((await host.folder.load()).trial?.version).toBe('0.2.0');
    await agent.stop();
    const { state } = await agent.stateFile.load();
    expect(state?.operations).toMatchObject([{ id: 5, state: 'running', version: '0.2.0' }]);

    // The fake agent is 0.1.0: the trial has failed.
    await host.folder.save({ refused: [{ version: '0.2.0', reason: 'crashed' }] });
    const again = await runAgainst(server, { dir, ...(state && { state }), refusalOf: () => 'crashed' });
    await again.rested();
    expect(await endOf(server, again)).toMatchObject({
      state: 'failed',
      detail: 'the agent is 0.1.0 again: 0.2.0 crashed',
    });
  });

  it('fails where another version is offered than the requested one', async () => {
    const [downloads, host] = await prepare();
    const { agent, server } = await requestUpgrade(downloads, host, { version: '0.3.0' });
    expect(await endOf(server, agent)).toMatchObject({ detail: 'the address offers 0.2.0, not 0.3.0' });
    expect((await host.folder.load()).trial).toBeUndefined();
  });

  it('succeeds at once where the offered version runs', async () => {
    const [downloads, host] = await prepare('0.1.0');
    const { agent, server } = await requestUpgrade(downloads, host);
    expect(await endOf(server, agent)).toMatchObject({ state: 'succeeded', detail: 'version 0.1.0 runs already' });
  });

  it('fails with the reason of a refusal', async () => {
    const [downloads, host] = await prepare('0.0.9');
    const { agent, server } = await requestUpgrade(downloads, host);
    expect(await endOf(server, agent)).toMatchObject({ detail: expect.stringContaining('0.0.9 is older than 0.1.0') });
  });
});
