// Compiles the examples of the README, which are complete programs.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const home = join(import.meta.dirname, '..');

it('shows examples that compile', async () => {
  const readme = await readFile(join(home, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(examples.length).toBeGreaterThanOrEqual(5);

  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-readme-'));
  try {
    // The examples import the library by its name, as programs do.
    const packages = join(folder, 'node_modules');
    await mkdir(join(packages, '@quarterdeck'), { recursive: true });
    await symlink(home, join(packages, '@quarterdeck', 'sdk'));
    await symlink(join(home, 'node_modules', '@types'), join(packages, '@types'));
    const config = { extends: join(home, 'tsconfig.json'), include: ['*.ts'] };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await Promise.all(examples.map((code, i) => writeFile(join(folder, `example-${i + 1}.ts`), code)));
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const problems = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
      () => '',
      (failure: { stdout: string }) => failure.stdout,
    );
    expect(problems).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});
