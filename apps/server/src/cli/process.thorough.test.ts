// The command line as a process: what it loads, reads and prints, and the code that it exits with.
import { describe, expect, it } from 'vitest';
import { useDataFolder } from '../../test/command-line.ts';
import { createPasswords } from '../auth/passwords.ts';
import { VERSION } from '../process/version.ts';

const { run, runProcess, withData } = useDataFolder();

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

describe('the process', () => {
  it('prints what the command prints, and exits with its code', async () => {
    expect(await runProcess(['help'])).toEqual(await run(['help']));
    expect(await runProcess(['--version'])).toEqual({ code: 0, out: `quarterdeckd ${VERSION}\n`, err: '' });
    expect(await runProcess(['frobnicate'])).toEqual(await run(['frobnicate']));
  });

  it('reads a password from its standard input, and repeats it nowhere', async () => {
    const password = 'a crème brûlée for all of us';
    const args = ['user', 'reset-password', '--password-stdin', 'ada'];
    const { code, out, err } = await runProcess(args, {}, `${password}\n`);
    expect([code, out]).toEqual([0, '']);
    expect(err).not.toContain(password);
    const user = await withData(({ read }) => read.prisma.user.findUniqueOrThrow({ where: { id: 1 } }));
    expect(await (await createPasswords()).verify(user.passwordHash, password)).toBe(true);
  });

  it.each([[['help']], [['--version']], [['frobnicate']], [['user', 'unlock', '--help']]])(
    'loads nothing of the server for %j',
    async (args) => {
      const modules = await modulesOf(args);
      expect(modules).toContain('cli/commands.ts');
      expect(
        modules.filter(
          (module) =>
            !/^(main|cli\/[\w-]+|process\/(require-node|exit-codes|refusal|version)|(.*\/core\/src\/)?(require-node|output|small-(file|text)))\.ts$/.test(
              module,
            ),
        ),
      ).toEqual([]);
    },
  );

  it('loads only the command that it runs', async () => {
    const modules = await modulesOf(['token', 'generate']);
    expect(modules).toContain('cli/token-generate.ts');
    expect(modules).not.toContain('cli/token.ts');
  });
});
