import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { useDataFolder } from '../../test/command-line.ts';
import { EXIT } from '../process/exit-codes.ts';
import { VERSION } from '../process/version.ts';
import { COMMANDS } from './commands.ts';

const { run, withData, entries } = useDataFolder();

const oneLine = /^quarterdeckd: [^\n]+\n$/;

describe('the command line', () => {
  it('prints the help and its version', async () => {
    const { code, out, err } = await run(['help']);
    expect([code, err]).toEqual([0, '']);
    for (const { name } of nonEmpty(COMMANDS)) expect(out).toContain(name);
    for (const code of nonEmpty(Object.values(EXIT))) expect(out).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
    expect((await run(['--help'])).out).toBe(out);
    const one = await run(['help', 'token', 'create']);
    expect(one.out).toContain('--expire WHEN');
    expect((await run(['token', 'create', '--help'])).out).toBe(one.out);
    expect(await run(['--version'])).toEqual({ code: 0, out: `quarterdeckd ${VERSION}\n`, err: '' });
  });

  it.each([
    [['frobnicate']],
    [['user']],
    [['user', 'unlock']],
    [['user', 'reset-password', 'ada', 'hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '--password=hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '--password-stdin=hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '-phunter2-hunter2']],
    [['token', 'create', '--user', 'ada']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', 'soon']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', '2001-01-01']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', '2030-02-31']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--scopes', 'errlog:read,everything']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--cidr', '10.0.0.0/33']],
    [['token', 'create', '--user', 'ada', '--name', 'long'.repeat(51)]],
    [['help', 'frobnicate']],
  ])('refuses %j as bad usage', async (args) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(oneLine);
    expect(err).not.toContain('hunter2');
  });

  it('refuses wrong settings', async () => {
    const { code, err } = await run(['audit', 'verify'], { QUARTERDECK_PORT: 'x' });
    expect(code).toBe(2);
    expect(err).toMatch(/^quarterdeckd: QUARTERDECK_PORT gives "x"; allowed: .+\n$/);
  });

  it('says that PostgreSQL cannot be reached', async () => {
    // Nothing listens on the first port.
    const settings = { QUARTERDECK_DATABASE_URL: 'postgresql://quarterdeck@127.0.0.1:1/quarterdeck' };
    const { code, out, err } = await run(['audit', 'verify'], settings);
    expect([code, out]).toEqual([69, '']);
    expect(err).toMatch(oneLine);
  });

  it('refuses to create a new installation', async () => {
    const empty = newFolder();
    const { code, out, err } = await run(['user', 'unlock', 'ada'], { QUARTERDECK_DATA_DIR: join(empty, 'nowhere') });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(oneLine);
    expect(err).toContain('QUARTERDECK_DATA_DIR');
  });

  it.each([
    [['user', 'unlock', 'ada']],
    [['user', 'reset-password', 'ada']],
    [['token', 'create', '--user', 'ada', '--name', 'x']],
    [['audit', 'verify']],
  ])('asks to try %j again while something else has the data', async (args) => {
    const { code, out, err } = await withData(() => run(args));
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
    const refused = { code: 1, out: '', err: 'quarterdeckd: there is no user "nobody"\n' };
    expect(await run(args)).toEqual(refused);
    expect(await entries()).toHaveLength(before);
  });
});
