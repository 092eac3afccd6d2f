import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDataFolder } from '../../test/command-line.ts';
import { VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';
import { EXIT } from './exit-codes.ts';

const { run, runProcess, withData, entries } = useDataFolder();

const oneLine = /^quarterdeckd: [^\n]+\n$/;

/** Lists the modules that a process with these arguments loads: our files by their path in `src`, and packages. */
async function modulesOf(args: readonly string[]): Promise<string[]> {
  const tell = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { process._rawDebug('loads ' + url); return next(url, context); } });`;
  const settings = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` };
  const { err } = await runProcess(args, settings);
  const src = new URL('../', import.meta.url).href;
  const urls = err.split('\n').flatMap((line) => /^loads (file:.+)$/.exec(line)?.[1] ?? []);
  return urls.map((url) => url.replace(src, ''));
}

/** Returns a port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the command line', () => {
  it('prints the help', async () => {
    const { code, out, err } = await runProcess(['help']);
    expect([code, err]).toEqual([0, '']);
    for (const { name } of COMMANDS) expect(out).toContain(name);
    for (const code of Object.values(EXIT)) expect(out).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
    expect((await run(['--help'])).out).toBe(out);
    const one = await run(['help', 'token', 'create']);
    expect(one.out).toContain('--expire WHEN');
    expect((await run(['token', 'create', '--help'])).out).toBe(one.out);
  });

  it.each([[['help']], [['--version']], [['frobnicate']], [['user', 'unlock', '--help']]])(
    'loads nothing of the server for %j',
    async (args) => {
      const modules = await modulesOf(args);
      expect(modules).toContain('cli/commands.ts');
      expect(
        modules.filter((module) => !/^(main|version|cli\/[\w-]+|(.*\/core\/src\/)?require-node)\.ts$/.test(module)),
      ).toEqual([]);
    },
  );

  it('loads only the command that it runs', async () => {
    const modules = await modulesOf(['token', 'generate']);
    expect(modules).toContain('cli/token-generate.ts');
    expect(modules).not.toContain('cli/user-unlock.ts');
  });

  it('prints its version', async () => {
    expect(await runProcess(['--version'])).toEqual({ code: 0, out: `quarterdeckd ${VERSION}\n`, err: '' });
  });

  it.each([
    [['frobnicate']],
    [['user']],
    [['user', 'unlock']],
    [['user', 'reset-password', 'ada', 'hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '--password=hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '--password-stdin=hunter2-hunter2']],
    [['token', 'create', '--name', 'x']],
    [['token', 'create', '--user', 'ada']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', 'soon']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', '2001-01-01']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', '2030-02-31']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--scopes', 'errlog:read,everything']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--cidr', '10.0.0.0/33']],
    [['token', 'create', '--user', 'ada', '--name', 'long'.repeat(51)]],
    [['audit', 'verify', '--loudly']],
    [['help', 'frobnicate']],
    [['user', 'reset-password', 'ada', '-phunter2-hunter2']],
  ])('refuses %j as bad usage', async (args) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(oneLine);
    expect(err).not.toContain('hunter2');
  });

  it('exits with the code of bad usage', async () => {
    expect((await runProcess(['frobnicate'])).code).toBe(2);
  });

  it('refuses wrong settings', async () => {
    const { code, err } = await run(['audit', 'verify'], { QUARTERDECK_PORT: 'x' });
    expect(code).toBe(2);
    expect(err).toMatch(/^quarterdeckd: QUARTERDECK_PORT gives "x"; allowed: .+\n$/);
  });

  it('says that PostgreSQL cannot be reached', async () => {
    const port = await closedPort();
    const url = `postgresql://quarterdeck@127.0.0.1:${port}/quarterdeck`;
    const { code, out, err } = await runProcess(['audit', 'verify'], { QUARTERDECK_DATABASE_URL: url });
    expect([code, out]).toEqual([69, '']);
    expect(err).toMatch(oneLine);
  });

  it('refuses to create a new installation', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'quarterdeck-empty-'));
    const { code, out, err } = await run(['user', 'unlock', 'ada'], { QUARTERDECK_DATA_DIR: join(empty, 'nowhere') });
    rmSync(empty, { recursive: true });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(oneLine);
    expect(err).toContain('QUARTERDECK_DATA_DIR');
  });

  it.each([
    [['user', 'unlock', 'ada']],
    [['user', 'reset-password', 'ada']],
    [['token', 'create', '--user', 'ada', '--name', 'x']],
    [['audit', 'verify']],
  ])('asks to try %j again while another process has the data', async (args) => {
    const { code, out, err } = await withData(() => runProcess(args));
    expect([code, out]).toEqual([75, '']);
    expect(err).toMatch(oneLine);
    expect(err).toContain('try again');
  });

  it.each([
    [['user', 'unlock', 'nobody']],
    [['user', 'reset-password', 'nobody']],
    [['user', 'reset-2fa', 'nobody']],
    [['token', 'create', '--user', 'nobody', '--name', 'x']],
  ])('refuses %j: there is no such user', async (args) => {
    const before = (await entries()).length;
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('quarterdeckd: there is no user "nobody"\n');
    expect(await entries()).toHaveLength(before);
  });
});
