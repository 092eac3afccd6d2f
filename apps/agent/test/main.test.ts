// Runs the program from its source.
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, startWith } from './agent-process.ts';
import { refusal, reports, secretNumber, startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

describe('quarterdeck-agent', () => {
  it('prints its usage', async () => {
    const help = start({}, '--help');
    expect(await help.ended).toBe(0);
    expect(help.output()).toContain('QUARTERDECK_ENROLL_TOKEN');
    const version = start({}, '--version');
    expect(await version.ended).toBe(0);
    expect(version.output()).toMatch(/^quarterdeck-agent \d+\.\d+\.\d+\n$/);
  });

  it.each<[string, RegExp, Record<string, string>, string[]]>([
    ['an unknown argument', /unknown argument/, {}, ['--loud']],
    ['an unknown command', /unknown argument/, {}, ['sleep']],
    ['a token where none is taken', /unknown argument/, {}, ['run', '--token', 'canary']],
    ['force where nothing is enrolled', /unknown argument/, {}, ['run', '--force']],
    ['yes where nothing is removed', /unknown argument/, {}, ['run', '--yes']],
    ['a token where something is removed', /unknown argument/, {}, ['uninstall', '--token', 'canary']],
    ['two tokens', /only one of them/, {}, ['enroll', '--token', 'canary', '--token-file', '/no/such']],
    ['a token file that is not there', /--token-file names/, {}, ['enroll', '--token-file', '/no/such']],
    ['a token that is none', /token gives a value that is not repeated here/, {}, ['enroll', '--token', 'ca nary']],
    ['a server that is none', /--server gives "nowhere"/, {}, ['enroll', '--server', 'nowhere', '--token', 'canary']],
    ['a wrong value', /QUARTERDECK_URL gives "nowhere"; allowed: /, { QUARTERDECK_URL: 'nowhere' }, []],
    ['no token on a new host', /QUARTERDECK_ENROLL_TOKEN is not set/, {}, []],
    [
      'a folder that cannot be made',
      /cannot write \/dev\/null\/x.*QUARTERDECK_AGENT_DIR: a folder/,
      { QUARTERDECK_AGENT_DIR: '/dev/null/x' },
      [],
    ],
  ])('ends with 2 and one line for %s', async (_, message, env, args) => {
    const dir = await temporaryFolder();
    const agent = start({ QUARTERDECK_AGENT_DIR: dir, ...env }, ...args);
    expect(await agent.ended).toBe(2);
    expect(agent.output()).toBe('');
    expect(agent.errors()).toMatch(/^quarterdeck-agent: [^\n]+\n$/);
    expect(agent.errors()).toMatch(message);
    expect(agent.errors()).not.toContain('canary');
  });

  it('enrols, reports and reports the shutdown; shows no secret', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await writeFile(`${dir}/token`, `${ENROLL_TOKEN}\n`);
    const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: dir, QUARTERDECK_LOG_LEVEL: 'debug' };
    const first = start({ ...env, QUARTERDECK_ENROLL_TOKEN_FILE: `${dir}/token` });
    await first.says('"enrolled"');
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);

    const second = start(env);
    await second.says('"reported"');
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);

    expect(server.seen.map(({ what, token }) => [what, token])).toEqual([
      ['register', ENROLL_TOKEN],
      ['shutdown', secretNumber(1)],
      ['heartbeat', secretNumber(1)],
      ['shutdown', secretNumber(1)],
    ]);
    const shown = [first, second].map((agent) => agent.output() + agent.errors()).join('');
    expect(shown).not.toContain('Canary');
    const machineId = await readFile('/etc/machine-id', 'utf8').catch(() => '');
    if (machineId.trim() !== '') expect(shown).not.toContain(machineId.trim());
  });

  it('enrols by a command, with the token on standard input, and runs without it', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    const enroll = start({ QUARTERDECK_AGENT_DIR: dir }, 'enroll', '--server', server.url);
    enroll.child.stdin?.end(`${ENROLL_TOKEN}\n`);
    expect(await enroll.ended).toBe(0);
    expect(enroll.output()).toBe(`enrolled at ${server.url} as agent 7\n`);

    // The state file has the address of the server.
    const run = start({ QUARTERDECK_AGENT_DIR: dir, QUARTERDECK_LOG_LEVEL: 'debug' }, 'run');
    await run.says('"reported"');
    const again = start({ QUARTERDECK_AGENT_DIR: dir }, 'enroll', '--server', server.url, '--token', ENROLL_TOKEN);
    expect(await again.ended).toBe(2);
    expect(again.errors()).toMatch(/another agent \(process \d+\) uses/);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(server.seen.map(({ what, token }) => [what, token])).toEqual([
      ['register', ENROLL_TOKEN],
      ['heartbeat', secretNumber(1)],
      ['shutdown', secretNumber(1)],
    ]);
    // Otherwise the first run would look like a restart.
    expect(server.seen.map(({ body }) => Object.hasOwn(Object(body), 'started'))).toEqual([false, true, false]);
  });

  it('loads neither the fetch of Node nor TLS when it needs neither', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    const atExit = join(dir, 'at-exit.mjs');
    await writeFile(atExit, "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));");
    const { says, child, ended, errors } = start({
      QUARTERDECK_AGENT_DIR: join(dir, 'state'),
      QUARTERDECK_URL: server.url,
      QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN,
      NODE_OPTIONS: `--import=${atExit}`,
    });
    await says('"enrolled"');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const loaded = errors().split('\n');
    expect(loaded).toContain('NativeModule http');
    expect(loaded.filter((name) => /undici|https|tls/.test(name))).toEqual([]);
  });

  it('keeps its enrolment when another one is refused, and prints the reason', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await writeFile(`${dir}/token`, `${ENROLL_TOKEN}\n`);
    const enroll = () =>
      start({ QUARTERDECK_AGENT_DIR: dir }, 'enroll', '--server', server.url, '--token-file', `${dir}/token`);
    expect(await enroll().ended).toBe(0);
    const before = await readFile(`${dir}/state.json`, 'utf8');
    server.next.push({ body: { status: 0 } }, refusal(401, 'credential_invalid'));
    const second = enroll();
    expect(await second.ended).toBe(1);
    expect(second.errors()).toBe('quarterdeck-agent: the server did not enrol this host: credential_invalid 401\n');
    expect(await readFile(`${dir}/state.json`, 'utf8')).toBe(before);
  });

  it('enrols again while it still counts as online, and by force while another agent is online', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    const env = { QUARTERDECK_AGENT_DIR: dir, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN };
    const enroll = (...more: string[]) => start(env, 'enroll', '--server', server.url, ...more);
    expect(await enroll().ended).toBe(0);
    server.next.push({ body: { status: 0 } }, refusal(409, 'conflict'));
    const second = enroll();
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(/conflict 409; another agent with this node_id is online: stop it, wait/);
    expect(await enroll('--force').ended).toBe(0);
    expect(server.seen.map(({ what, token, body }) => [what, token, (body as { force?: true })?.force])).toEqual([
      ['register', ENROLL_TOKEN, undefined],
      ['shutdown', secretNumber(1), undefined],
      ['register', ENROLL_TOKEN, undefined],
      ['shutdown', secretNumber(1), undefined],
      ['register', ENROLL_TOKEN, true],
    ]);
  });

  it('keeps operations when it enrols again at the same server only', async () => {
    const server = await startFakeConsole();
    const other = await startFakeConsole();
    const dir = await temporaryFolder();
    const known = { id: 5, kind: 'upgrade', state: 'succeeded', acknowledged: true };
    const enrolment = { server: server.url, id: 7, secret: secretNumber(9), interval: 30 };
    await writeFile(`${dir}/state.json`, JSON.stringify({ node_id: 'node-1', enrolment, operations: [known] }));
    const operations = async () => JSON.parse(await readFile(`${dir}/state.json`, 'utf8')).operations ?? [];
    for (const [url, expected] of [
      [server.url, [known]],
      [other.url, []],
    ] as const) {
      const enroll = start({ QUARTERDECK_AGENT_DIR: dir }, 'enroll', '--server', url, '--token', ENROLL_TOKEN);
      expect(await enroll.ended).toBe(0);
      expect(await operations()).toEqual(expected);
    }
  });

  it('ships the configured files', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await writeFile(`${dir}/a.log`, 'one\n');
    const files = {
      QUARTERDECK_AGENT_FILES: `${dir}/*.log;service=app;level=warn`,
      QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN,
    };
    const agent = start({ QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: `${dir}/agent`, ...files });
    while (!server.seen.some(({ what }) => what === 'errlog')) await new Promise(setImmediate);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(server.seen.find(({ what }) => what === 'errlog')).toMatchObject({
      token: secretNumber(1),
      body: [{ level: 5, log: 'one', service: 'app' }],
    });
  });

  it('reports how an operation ended at once, not with the next report', async () => {
    const server = await startFakeConsole();
    server.interval = 3600;
    const dir = await temporaryFolder();
    const hook = join(dir, 'hook');
    await writeFile(hook, `#!/bin/sh\nwhile [ ! -e ${dir}/go ]; do sleep 0.01; done\n`, { mode: 0o700 });
    const enrolment = { server: server.url, id: 7, secret: secretNumber(1), interval: 3600 };
    await writeFile(join(dir, 'state.json'), JSON.stringify({ node_id: 'node-1', enrolment }));
    server.responseFields = {
      operations: [{ id: 5, kind: 'upgrade', deadline: 2_000_000_000, seconds: 60, params: { version: '1.2.3' } }],
    };
    start({ QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: dir, QUARTERDECK_AGENT_UPGRADE_COMMAND: hook });
    while (reports(server).length === 0) await new Promise(setImmediate);
    server.responseFields = {};
    await writeFile(join(dir, 'go'), '');
    while (reports(server).at(-1)?.state !== 'succeeded') await new Promise(setImmediate);
  });

  it('sets a damaged state aside and enrols again', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await writeFile(`${dir}/state.json`, '{"node');
    const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: dir };
    const agent = start({ ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN });
    await agent.says('"enrolled"');
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(agent.output()).toContain('the state file is damaged');
    expect(await readFile(`${dir}/state.json.damaged`, 'utf8')).toBe('{"node');
  });

  it('warns of a configured command without output, and reports without it', async () => {
    const server = await startFakeConsole();
    const tools = { QUARTERDECK_AGENT_STAP_COMMAND: 'echo stap 5.0', QUARTERDECK_AGENT_ODB_COMMAND: 'false' };
    const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: await temporaryFolder(), ...tools };
    const agent = start({ ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN });
    await agent.says('"enrolled"');
    expect(agent.output()).not.toContain('STAP_COMMAND');
    expect(agent.output()).toContain('QUARTERDECK_AGENT_ODB_COMMAND prints no version; check the command');
    expect(server.seen[0]?.body).toMatchObject({ dependency: { stap_version: 'stap 5.0', odb_version: '' } });
  });

  it('keeps reporting when nobody reads its log', async () => {
    const server = await startFakeConsole();
    server.interval = 1;
    const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: await temporaryFolder() };
    const agent = start({ ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN, QUARTERDECK_LOG_LEVEL: 'debug' });
    await agent.says('"enrolled"');
    agent.child.stdout?.destroy();
    while (server.seen.length < 3) await new Promise(setImmediate);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
  });

  it('keeps reporting when there is no room for its log', async () => {
    const server = await startFakeConsole();
    const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: await temporaryFolder() };
    await using full = await open('/dev/full', 'w');
    const agent = startWith({ stdout: full.fd }, { ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN });
    while (server.seen.length < 1) await new Promise(setImmediate);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(agent.errors()).toBe('');
    expect(server.seen.map(({ what }) => what)).toEqual(['register', 'shutdown']);
  });
});
