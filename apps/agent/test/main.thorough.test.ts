// Runs the program from its source: exit codes, standard streams and signals.
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, startWith } from './agent-process.ts';
import { refusal, secretNumber, startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { startFakeEngine } from './shipping/fake-engine.ts';
import { textsOf } from './shipping/running-shipper.ts';
import { temporaryFolder } from './temporary.ts';

/** A server, the folder of an agent, and the variables that name both. */
async function world() {
  const [server, dir] = [await startFakeConsole(), await temporaryFolder()];
  const env = { QUARTERDECK_URL: server.url, QUARTERDECK_AGENT_DIR: dir, QUARTERDECK_LOG_LEVEL: 'debug' };
  return { server, dir, env, withToken: { ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN } };
}

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
    ['an unknown argument', /unknown argument/, {}, ['run', '--token', 'canary']],
    ['a wrong value', /--server gives "nowhere"/, {}, ['enroll', '--server', 'nowhere', '--token', 'canary']],
    ['no token on a new host', /QUARTERDECK_ENROLL_TOKEN is not set/, {}, []],
    [
      'a folder that cannot be made',
      /cannot write \/dev\/null\/x.*QUARTERDECK_AGENT_DIR: a folder/,
      { QUARTERDECK_AGENT_DIR: '/dev/null/x' },
      [],
    ],
    ['an upgrade of what is no single executable', /this agent is no single executable/, {}, ['upgrade']],
    ['a removal that nobody confirms', /give --yes/, {}, ['uninstall']],
  ])('ends with 2 and one line for %s', async (_, message, env, args) => {
    const dir = await temporaryFolder();
    await mkdir(join(dir, 'spool'));
    const agent = start({ QUARTERDECK_AGENT_DIR: dir, ...env }, ...args);
    expect(await agent.ended).toBe(2);
    expect(agent.errors()).toMatch(/^quarterdeck-agent: [^\n]+\n$/);
    expect(agent.errors()).toMatch(message);
    expect(agent.errors()).not.toContain('canary');
    expect(await readdir(dir)).toContain('spool');
  });

  it('ends with 2 and one line for a file of authorities without a certificate', async () => {
    const { dir, withToken } = await world();
    const path = join(dir, 'ca.pem');
    await writeFile(path, 'no certificate');
    await writeFile(join(dir, 'agent.toml'), `ca_file = ${JSON.stringify(path)}\n`);
    const agent = start(withToken);
    expect(await agent.ended).toBe(2);
    expect(agent.errors()).toBe('quarterdeck-agent: ca_file has no certificate in PEM\n');
  });

  it('enrolls by a command, with the token on standard input, and runs alone until a signal stops it', async () => {
    const { server, dir, env } = await world();
    const enroll = start({ QUARTERDECK_AGENT_DIR: dir }, 'enroll', '--server', server.url);
    enroll.child.stdin?.end(`${ENROLL_TOKEN}\n`);
    expect(await enroll.ended).toBe(0);
    expect(enroll.output()).toBe(`enrolled at ${server.url} as agent 7\n`);

    const run = start(env, 'run');
    await run.says('"reported"');
    const again = start({ QUARTERDECK_AGENT_DIR: dir }, 'enroll', '--server', server.url, '--token', ENROLL_TOKEN);
    expect(await again.ended).toBe(2);
    expect(again.errors()).toMatch(/another agent \(process \d+\) uses/);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
    expect(server.seen.map(({ what }) => what)).toEqual(['register', 'heartbeat', 'shutdown']);
    const shown = [enroll, run, again].map((agent) => agent.output() + agent.errors()).join('');
    expect(shown).not.toContain('Canary');
  });

  it('prints why another enrollment is refused', async () => {
    const { server, withToken } = await world();
    const enroll = () => start(withToken, 'enroll');
    expect(await enroll().ended).toBe(0);
    for (const [status, code, more] of [
      [401, 'credential_invalid', ''],
      [
        409,
        'conflict',
        '; another agent with this node_id is online: stop it, wait until it is offline, or give --force',
      ],
    ] as const) {
      server.next.push({ body: { status: 0 } }, refusal(status, code));
      const refused = enroll();
      expect(await refused.ended).toBe(1);
      const reason = `${code} ${status}${more}`;
      expect(refused.errors()).toBe(`quarterdeck-agent: the server did not enroll this host: ${reason}\n`);
    }
  });

  it('loads neither the fetch of Node nor TLS when it needs neither', async () => {
    const { dir, withToken } = await world();
    const atExit = join(dir, 'at-exit.mjs');
    await writeFile(atExit, "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));");
    const { says, child, ended, errors } = start({ ...withToken, NODE_OPTIONS: `--import=${atExit}` });
    await says('"enrolled"');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const loaded = errors().split('\n');
    expect(loaded).toContain('NativeModule http');
    expect(loaded.filter((name) => /undici|https|tls/.test(name))).toEqual([]);
  });

  it('keeps reporting when nobody reads its log', async () => {
    const { server, withToken } = await world();
    server.interval = 1;
    const agent = start(withToken);
    await agent.says('"enrolled"');
    agent.child.stdout?.destroy();
    await server.until(({ length }) => length >= 3);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
  });

  it('keeps reporting when there is no room for its log', async () => {
    const { server, withToken } = await world();
    await using full = await open('/dev/full', 'w');
    const agent = startWith({ stdout: full.fd }, withToken);
    await server.until(({ length }) => length >= 1);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(agent.errors()).toBe('');
    expect(server.seen.map(({ what }) => what)).toEqual(['register', 'shutdown']);
  });

  it('reads the output of the containers that its settings name', async () => {
    const { server, withToken } = await world();
    const engine = await startFakeEngine();
    const web = engine.run('web');
    engine.write(engine.run('db'), ['not this\n']);
    const containers = { QUARTERDECK_AGENT_CONTAINERS: engine.socket, QUARTERDECK_AGENT_CONTAINER_LOGS: 'w?b' };
    const agent = start({ ...withToken, ...containers, QUARTERDECK_AGENT_WATCH: 'none' });
    await expect.poll(() => engine.followers).toBe(1);
    engine.write(web, ['one\n']);
    await server.until((seen) => seen.some(({ what }) => what === 'errlog'));
    expect(textsOf(server).flat()).toEqual(['one']);
    agent.child.kill();
    expect(await agent.ended).toBe(0);
  });

  it('is removed with --yes, once it has stopped', async () => {
    const { server, dir, withToken } = await world();
    await writeFile(join(dir, 'agent.toml'), '');
    const running = start(withToken);
    await running.says('"enrolled"');
    const refused = start(withToken, 'uninstall', '--yes');
    expect(await refused.ended).toBe(2);
    expect(refused.errors()).toContain('stop it first');
    running.child.kill('SIGTERM');
    await running.ended;

    const removed = start(withToken, 'uninstall', '--yes');
    expect(await removed.ended).toBe(0);
    expect(server.seen.at(-1)).toMatchObject({ what: 'shutdown', token: secretNumber(1) });
    expect(removed.output()).toContain(`removed: ${join(dir, 'state.json')}`);
    expect(await readdir(dir)).toEqual(['agent.toml']);
    expect(await readFile(join(dir, 'agent.toml'), 'utf8')).toBe('');
  });
});
