// Compiles the TypeScript of all documents. Each block is a complete program. Those with a fake server are run.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { blocksIn, gitFiles, ROOT } from './documents.ts';

/** Names of the packages in a folder of packages, with those of scopes. */
const packagesIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((one) => `${name}/${one}`) : [name],
    );

/** Links the libraries of this project, and all that they depend on, as an install would. */
async function linkPackages(target: string): Promise<void> {
  const libraries = gitFiles('packages/*/package.json').map((path) => join(ROOT, dirname(path)));
  const places = new Map<string, string>();
  for (const library of libraries) {
    const modules = join(library, 'node_modules');
    for (const name of packagesIn(modules)) places.set(name, join(modules, name));
    const { name } = createRequire(library)(join(library, 'package.json')) as { name: string };
    places.set(name, library);
  }
  // Receivers of messages verify with it.
  places.set('standardwebhooks', join(ROOT, 'apps/server/node_modules/standardwebhooks'));
  for (const [name, place] of places) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await symlink(place, join(target, name));
  }
}

it('shows programs that compile, and tests that pass', async () => {
  const blocks = blocksIn('ts');
  expect(blocks.length).toBeGreaterThanOrEqual(10);
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-documents-'));
  try {
    await linkPackages(join(folder, 'node_modules'));
    const compilerOptions = { types: ['node'], skipLibCheck: true };
    const config = { extends: join(ROOT, 'tsconfig.base.json'), include: ['*.ts'], compilerOptions };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const nameOf = (place: string) => `${place.replaceAll(/[^\w]+/g, '-')}.ts`;
    await Promise.all(blocks.map(({ place, text }) => writeFile(join(folder, nameOf(place)), text)));
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const problems = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
      () => '',
      (failure: { stdout: string }) => failure.stdout,
    );
    expect(problems).toBe('');
    // Programs with a fake server need nothing else to run.
    const tests = blocks.filter(({ text }) => text.includes('@quarterdeck/sdk/testing'));
    expect(tests).not.toEqual([]);
    for (const { place } of tests) {
      const run = ['--conditions=@quarterdeck/source', '--no-warnings', join(folder, nameOf(place))];
      expect(await promisify(execFile)(process.execPath, run), place).toEqual({ stdout: '', stderr: '' });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
