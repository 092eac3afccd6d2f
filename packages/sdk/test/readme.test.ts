// The examples in the README are programs: each must compile as it stands.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const home = join(import.meta.dirname, '..');

it('shows examples that compile', async () => {
  const readme = await readFile(join(home, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(examples.length).toBeGreaterThanOrEqual(5);

  // Inside the package, so that it finds itself by name; its dot keeps the package's own type check away from it.
  const folder = await mkdtemp(join(home, 'test', '.readme-'));
  try {
    const config = { extends: '../../tsconfig.json', include: ['*.ts'] };
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
