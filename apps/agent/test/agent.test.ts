import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { type FakeConsole, refusal, reports, secretNumber, startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';
import { enroll, runOnce, startAgent } from './whole-agent.ts';

/** Requests with their credentials. */
const requests = ({ seen }: FakeConsole) => seen.map(({ what, token }) => [what, token]);

const saved = async (dir: string) => JSON.parse(await readFile(join(dir, 'state.json'), 'utf8'));

async function world() {
  const [server, dir] = [await startFakeConsole(), await temporaryFolder()];
  const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: dir };
  return { server, dir, env, withToken: { ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN } };
}

describe('the agent', () => {
  it('enrolls, reports after a restart, and reports each shutdown; logs no secret', async () => {
    const { server, dir, env } = await world();
    await writeFile(`${dir}/token`, `${ENROLL_TOKEN}\n`);
    const first = startAgent({ ...env, QUARTERDECK_ENROLL_TOKEN_FILE: `${dir}/token` });
    await first.says('"enrolled"');
    await first.stop();
    const second = startAgent(env);
    await second.says('"reported"');
    await second.stop();
    expect(requests(server)).toEqual([
      ['register', ENROLL_TOKEN],
      ['shutdown', secretNumber(1)],
      ['heartbeat', secretNumber(1)],
      ['shutdown', secretNumber(1)],
    ]);
    expect(first.log() + second.log()).not.toContain('Canary');
    const machineId = (await readFile('/etc/machine-id', 'utf8').catch(() => '')).trim() || 'none';
    expect(first.log() + second.log()).not.toContain(machineId);
  });

  it('does not start on a new host without a token, or in a folder that cannot be made', async () => {
    const { env, withToken } = await world();
    await expect(runOnce(env)).rejects.toThrow(/^QUARTERDECK_ENROLL_TOKEN is not set/);
    await expect(runOnce({ ...withToken, QUARTERDECK_AGENT_DIR: '/dev/null/x' })).rejects.toThrow(
      /^cannot write \/dev\/null\/x/,
    );
  });

  it('ships the configured files', async () => {
    const { server, dir, withToken } = await world();
    await writeFile(`${dir}/a.log`, 'one\n');
    startAgent({ ...withToken, QUARTERDECK_AGENT_FILES: `${dir}/*.log;service=app;level=warn` });
    await server.until((seen) => seen.some(({ what }) => what === 'errlog'));
    expect(server.seen.find(({ what }) => what === 'errlog')).toMatchObject({
      token: secretNumber(1),
      body: [{ level: 5, log: 'one', service: 'app' }],
    });
  });

  it('reports how an operation ended at once, not with the next report', async () => {
    const { server, dir, withToken } = await world();
    server.interval = 3600;
    const hook = join(dir, 'hook');
    await writeFile(hook, `#!/bin/sh\nwhile [ ! -e ${dir}/go ]; do sleep 0.01; done\n`, { mode: 0o700 });
    await enroll(withToken, server.url);
    server.responseFields = {
      operations: [{ id: 5, kind: 'upgrade', deadline: 2_000_000_000, seconds: 60, params: { version: '1.2.3' } }],
    };
    startAgent({ ...withToken, PATH: '/usr/bin:/bin', QUARTERDECK_AGENT_UPGRADE_COMMAND: hook });
    await server.until(() => reports(server).length > 0);
    server.responseFields = {};
    await writeFile(join(dir, 'go'), '');
    await server.until(() => reports(server).at(-1)?.state === 'succeeded');
    expect(reports(server).map(({ state }) => state)).toEqual(['running', 'succeeded']);
  });

  it('sets a damaged state aside and enrolls again', async () => {
    const { dir, withToken } = await world();
    await writeFile(`${dir}/state.json`, '{"node');
    const agent = startAgent(withToken);
    await agent.says('"enrolled"');
    expect(agent.log()).toContain('the state file is damaged');
    expect(await readFile(`${dir}/state.json.damaged`, 'utf8')).toBe('{"node');
  });

  it('warns of a configured command without output, and reports without it', async () => {
    const { server, withToken } = await world();
    const tools = { QUARTERDECK_AGENT_STAP_COMMAND: 'echo stap 5.0', QUARTERDECK_AGENT_ODB_COMMAND: 'false' };
    const agent = startAgent({ ...withToken, ...tools, PATH: '/usr/bin:/bin' });
    await agent.says('"enrolled"');
    expect(agent.log()).not.toContain('STAP_COMMAND');
    expect(agent.log()).toContain('QUARTERDECK_AGENT_ODB_COMMAND prints no version; check the command');
    expect(server.seen[0]?.body).toMatchObject({ dependency: { stap_version: 'stap 5.0', odb_version: '' } });
  });
});

describe('the enrollment by command', () => {
  it('needs a token, and the agent then needs neither token nor address', async () => {
    const { server, dir } = await world();
    const env = { QUARTERDECK_AGENT_DIR: dir };
    await expect(enroll(env, server.url)).rejects.toThrow(ConfigError);
    const enrolled = await enroll({ ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN }, server.url);
    expect(enrolled).toEqual({ id: 7, server: server.url });
    const agent = startAgent(env);
    await agent.says('"reported"');
    await agent.stop();
    expect(requests(server)).toEqual([
      ['register', ENROLL_TOKEN],
      ['heartbeat', secretNumber(1)],
      ['shutdown', secretNumber(1)],
    ]);
    // Otherwise the first run would look like a restart.
    expect(server.seen.map(({ body }) => Object.hasOwn(Object(body), 'started'))).toEqual([false, true, false]);
  });

  it('is kept when another one is refused', async () => {
    const { server, dir, withToken } = await world();
    await enroll(withToken, server.url);
    const before = await saved(dir);
    server.next.push({ body: { status: 0 } }, refusal(401, 'credential_invalid'));
    await expect(enroll(withToken, server.url)).rejects.toMatchObject({ status: 401 });
    expect(await saved(dir)).toEqual(before);
  });

  it('ends that of this agent, which may still count as online, and replaces another agent only by force', async () => {
    const { server, withToken } = await world();
    await enroll(withToken, server.url);
    server.next.push({ body: { status: 0 } }, refusal(409, 'conflict'));
    await expect(enroll(withToken, server.url)).rejects.toMatchObject({ code: 'conflict' });
    await enroll(withToken, server.url, true);
    expect(server.seen.map(({ what, token, body }) => [what, token, (body as { force?: true })?.force])).toEqual([
      ['register', ENROLL_TOKEN, undefined],
      ['shutdown', secretNumber(1), undefined],
      ['register', ENROLL_TOKEN, undefined],
      ['shutdown', secretNumber(1), undefined],
      ['register', ENROLL_TOKEN, true],
    ]);
  });

  it('keeps operations at the same server only', async () => {
    const { server, dir, withToken } = await world();
    const other = await startFakeConsole();
    const known = { id: 5, kind: 'upgrade', state: 'succeeded', acknowledged: true };
    const enrollment = { server: server.url, id: 7, secret: secretNumber(9), interval: 30 };
    await writeFile(`${dir}/state.json`, JSON.stringify({ node_id: 'node-1', enrollment, operations: [known] }));
    await enroll(withToken, server.url);
    expect(await saved(dir)).toMatchObject({ operations: [known] });
    await enroll(withToken, other.url);
    expect(await saved(dir)).not.toHaveProperty('operations');
  });
});
