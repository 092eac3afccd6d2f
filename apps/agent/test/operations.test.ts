import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostFacts } from '../src/facts/collect.ts';
import { runHook } from '../src/operations/hook.ts';
import type { ActionContext } from '../src/operations/operations.ts';
import type { Command } from '../src/settings/config-values.ts';
import {
  FACTS,
  type FakeConsole,
  HOST_FACTS,
  type Reply,
  refusal,
  reports,
  startFakeConsole,
  success,
} from './fake-console.ts';
import { type RunningAgent, type RunOptions, runAgainst, startAgent } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

const OPERATION = { id: 5, deadline: 2_000_000_000, seconds: 60, params: {} };

/** Writes a hook that appends a line to `<dir>/ran` at each run, then runs the script. */
async function hookIn(dir: string, script: string): Promise<Command> {
  const path = join(dir, 'hook');
  await writeFile(path, `#!/bin/sh\necho "$QUARTERDECK_UPGRADE_VERSION $*" >> ${dir}/ran\n${script}\n`);
  await chmod(path, 0o700);
  return [path, 'a word'];
}

/** Runs an agent that receives an operation, until it has reported its end. */
async function runOperation(
  operation: object,
  options: RunOptions = {},
): Promise<{ server: FakeConsole; agent: RunningAgent }> {
  const server = await startFakeConsole();
  const agent = await runAgainst(server, options);
  await agent.rested();
  server.responseFields = { operations: [operation] };
  await agent.wake();
  server.responseFields = {};
  const isOver = () => reports(server).some(({ state }) => state !== 'running');
  while (!isOver()) {
    await agent.reportDue.wait(10_000, AbortSignal.timeout(10_000));
    await agent.wake();
  }
  return { server, agent };
}

describe('collect_facts', () => {
  it('reports every fact with its result', async () => {
    const { server } = await runOperation({ ...OPERATION, kind: 'collect_facts' });
    const last = server.seen.at(-1)?.body;
    expect(last).toMatchObject(FACTS);
    expect(reports(server).at(-1)).toMatchObject({ id: 5, state: 'succeeded', progress: 100 });
  });

  it('reports every fact when it ends while a report is on its way', async () => {
    const server = await startFakeConsole();
    const facts = Promise.withResolvers<HostFacts>();
    const agent = await runAgainst(server, { actions: { collect: () => facts.promise } });
    await agent.rested();
    server.responseFields = { operations: [{ ...OPERATION, kind: 'collect_facts' }] };
    await agent.wake();
    server.responseFields = {};
    const answer = Promise.withResolvers<Reply>();
    server.next.push(answer.promise);
    const woken = agent.wake();
    await server.until(({ length }) => length === 3);
    facts.resolve(HOST_FACTS);
    await expect.poll(() => agent.said('info')).toContain('an operation has succeeded');
    answer.resolve(success({ interval: 30 }));
    await woken;
    await agent.wake();
    expect(server.seen.at(-1)?.body).toMatchObject(FACTS);
  });
});

describe('restart_tailer', () => {
  it('reopens the files', async () => {
    let reopened = 0;
    const reopenFiles = () => {
      reopened += 1;
    };
    const { server } = await runOperation({ ...OPERATION, kind: 'restart_tailer' }, { actions: { reopenFiles } });
    expect(reports(server).at(-1)).toMatchObject({ state: 'succeeded' });
    expect(reopened).toBe(1);
  });

  it('fails when no files are followed', async () => {
    const { server } = await runOperation({ ...OPERATION, kind: 'restart_tailer' });
    expect(reports(server).at(-1)).toMatchObject({
      state: 'failed',
      detail: 'this host follows no log files; set QUARTERDECK_AGENT_FILES',
    });
  });
});

describe('upgrade', () => {
  const upgrade = { ...OPERATION, kind: 'upgrade', params: { version: '1.2.3' } };

  it('runs the hook of the operator without a shell, and passes the version', async () => {
    const dir = await temporaryFolder();
    const upgradeCommand = await hookIn(dir, 'echo "progress 40 half way"; echo well');
    const { server } = await runOperation(upgrade, { actions: { upgradeCommand } });
    expect(await readFile(join(dir, 'ran'), 'utf8')).toBe('1.2.3 a word\n');
    expect(reports(server).at(-1)).toEqual({ id: 5, state: 'succeeded', progress: 100, detail: 'done: well' });
  });

  it('reports its progress, in the operation and in the facts', async () => {
    const dir = await temporaryFolder();
    const upgradeCommand = await hookIn(
      dir,
      `echo "progress 40 half way"; while [ ! -e ${dir}/go ]; do sleep 0.01; done`,
    );
    const { server, agent } = await startAgent({ actions: { upgradeCommand } });
    server.responseFields = { operations: [upgrade] };
    await agent.wake();
    server.responseFields = {};
    while (reports(server).at(-1)?.progress !== 40) await agent.wake();
    expect(server.seen.at(-1)?.body).toMatchObject({
      progress: { current: 40, detail: 'half way' },
      operations: [{ id: 5, state: 'running', progress: 40, detail: 'half way' }],
    });
    await writeFile(join(dir, 'go'), '');
    while (reports(server).at(-1)?.state !== 'succeeded') await agent.wake();
    expect(server.seen.at(-1)?.body).toMatchObject({ progress: { current: 0, detail: '' } });
  });

  it.each<[string, string, string]>([
    ['the hook fails', 'echo "no space" >&2; exit 3', 'ended with 3: no space'],
    ['the hook is killed', 'kill -9 $$', 'ended with SIGKILL'],
  ])('fails when %s', async (_, script, detail) => {
    const upgradeCommand = await hookIn(await temporaryFolder(), script);
    const { server } = await runOperation(upgrade, { actions: { upgradeCommand } });
    expect(reports(server).at(-1)).toMatchObject({ state: 'failed', detail });
  });

  it('fails when no hook is configured, or it does not exist', async () => {
    const { server } = await runOperation(upgrade);
    expect(reports(server).at(-1)).toMatchObject({
      detail: expect.stringContaining('no upgrade is configured; set QUARTERDECK_AGENT_UPGRADE_COMMAND, or'),
    });
    const { server: other } = await runOperation(upgrade, { actions: { upgradeCommand: ['/no/such'] } });
    expect(reports(other).at(-1)).toMatchObject({ detail: 'cannot run the upgrade command' });
  });

  it('fails without a start when the state file cannot be written', async () => {
    const dir = await temporaryFolder();
    const upgradeCommand = await hookIn(dir, '');
    await mkdir(join(dir, 'state', 'state.json.tmp', 'in the way'), { recursive: true });
    const { server, agent } = await runOperation(upgrade, { dir: join(dir, 'state'), actions: { upgradeCommand } });
    expect(reports(server).at(-1)).toMatchObject({
      state: 'failed',
      detail: 'the agent cannot write its state file',
    });
    await agent.stop();
    await expect(readFile(join(dir, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('is killed at its deadline, with its children', async () => {
    const dir = await temporaryFolder();
    const command = await hookIn(dir, `sleep 1000 & echo $! > ${dir}/child; wait`);
    const deadline = new AbortController();
    const result = runHook({
      ...{ command, path: '/usr/bin:/bin', version: '1.2.3', signal: deadline.signal },
      onProgress: () => undefined,
    });
    const child = () => readFile(join(dir, 'child'), 'utf8').catch(() => '');
    await expect.poll(child).toMatch(/^\d+\n$/);
    deadline.abort();
    expect(await result).toEqual({ ok: false, detail: 'stopped: the deadline passed' });
    const path = `/proc/${Number(await child())}/stat`;
    await expect.poll(() => readFile(path, 'utf8').catch(() => ' Z ')).toContain(' Z ');
  });

  it('ends with the reason of its deadline', async () => {
    const selfUpgrade = async ({ signal }: ActionContext) => {
      await once(signal, 'abort');
      return { ok: false, detail: 'too late' };
    };
    const { server } = await runOperation({ ...upgrade, seconds: 1 }, { actions: { selfUpgrade } });
    expect(reports(server).at(-1)).toMatchObject({ state: 'failed', detail: 'too late' });
  });

  it('does not start after its deadline', async () => {
    const dir = await temporaryFolder();
    const { server } = await runOperation(
      { ...upgrade, seconds: 0 },
      { actions: { upgradeCommand: await hookIn(dir, '') } },
    );
    expect(reports(server).at(-1)).toMatchObject({ state: 'failed', detail: 'the request arrived after its deadline' });
    await expect(readFile(join(dir, 'ran'))).rejects.toThrow('ENOENT');
  });
});

describe('an operation', () => {
  const upgrade = { ...OPERATION, kind: 'upgrade', params: { version: '1.2.3' } };

  it('runs once for repeated requests, and repeats its result', async () => {
    const dir = await temporaryFolder();
    const upgradeCommand = await hookIn(dir, '');
    const { server, agent } = await runOperation(upgrade, { actions: { upgradeCommand } });
    const said = reports(server).length;
    await agent.wake();
    expect(reports(server)).toHaveLength(said);
    server.responseFields = { operations: [upgrade] };
    await agent.wake();
    server.responseFields = {};
    await agent.wake();
    expect(reports(server)).toHaveLength(said + 1);
    expect(await readFile(join(dir, 'ran'), 'utf8')).toBe('1.2.3 a word\n');
  });

  it('repeats its result until there is an answer', async () => {
    const { server, agent } = await startAgent();
    server.responseFields = { operations: [{ ...OPERATION, kind: 'restart_tailer' }] };
    await agent.wake();
    server.responseFields = {};
    server.next.push('cut', 'cut');
    await agent.wake();
    await agent.wake();
    await agent.wake();
    await agent.wake();
    expect(reports(server).filter(({ state }) => state === 'failed')).toHaveLength(3);
  });

  it.each<[string, string, string]>([
    ['has worked when the agent comes back as the version it was for', '0.1.0', 'succeeded'],
    ['has failed when it comes back as another one', '9.9.9', 'failed'],
  ])('%s', async (_, version, state) => {
    const dir = await temporaryFolder();
    const upgradeCommand = await hookIn(dir, '');
    const server = await startFakeConsole();
    const known = { id: 5, kind: 'upgrade' as const, state: 'running' as const, acknowledged: true, version };
    const agent = await runAgainst(server, {
      state: { node_id: 'node-1', operations: [known] },
      actions: { upgradeCommand },
    });
    await agent.rested();
    server.responseFields = { operations: [{ ...upgrade, params: { version } }] };
    await agent.wake();
    await agent.wake();
    expect(reports(server).map((report) => report.state)).toEqual([state, state]);
    await expect(readFile(join(dir, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('is removed when another server, or a new one at its address, numbers anew', async () => {
    const server = await startFakeConsole();
    const known = { id: 5, kind: 'upgrade' as const, state: 'succeeded' as const, acknowledged: true };
    const enrollment = { server: server.url, id: 1, secret: 'x', interval: 30 };
    const agent = await runAgainst(server, { state: { node_id: 'node-1', enrollment, operations: [known] } });
    server.next.push(refusal(401, 'credential_invalid'));
    await agent.wake();
    expect((await agent.stateFile.load()).state).toMatchObject({ enrollment: { id: 7 }, operations: [] });
  });

  it('of an unknown kind is ignored', async () => {
    const { server, agent } = await startAgent();
    server.responseFields = {
      operations: [{ ...OPERATION, kind: 'run', params: { command: 'rm -rf /' } }, 'nonsense'],
    };
    expect(await agent.wake()).toBe(30_000);
    await agent.wake();
    expect(reports(server)).toEqual([]);
    expect(agent.said('warn')).toContain('the server requested an unknown operation; upgrade this agent');
  });
});

describe('settings', () => {
  it('are saved, and reported as the values in use', async () => {
    const { server, agent } = await startAgent();
    server.responseFields = { settings: { catch_transient_event: true, autorun_tools: false } };
    await agent.wake();
    await agent.wake();
    await agent.wake();
    expect(server.seen.map(({ body }) => body).slice(2)).toEqual([
      { catch_transient_event: true, autorun_tools: false },
      {},
    ]);
    expect((await agent.stateFile.load()).state?.settings).toEqual({
      catch_transient_event: true,
      autorun_tools: false,
    });
    expect(agent.said('info')).toContain('the server changed the settings of this agent');
  });
});

describe('log shipping', () => {
  it('is part of each report', async () => {
    const server = await startFakeConsole();
    const shipper = { files: 2, lines: 10, bytes_waiting: 3, lines_dropped: 0, lines_refused: 1 };
    const agent = await runAgainst(server, { shipper });
    await agent.rested();
    await agent.wake();
    expect(server.seen.at(-1)?.body).toEqual({ shipper });
  });
});
