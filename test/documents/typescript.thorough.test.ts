// Compiles the TypeScript of all documents, and manifests as values of their types. Each block is a complete program.
// The blocks with a fake server are run, too.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { nonEmpty } from '../non-empty.ts';
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
  const libraries = gitFiles(/^packages\/[^/]+\/package\.json$/).map((path) => join(ROOT, dirname(path)));
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

/** Compiles programs, by their names, in a folder; returns the problems that the compiler finds. */
async function compile(folder: string, programs: Readonly<Record<string, string>>, types: string[]): Promise<string> {
  const compilerOptions = { types, skipLibCheck: true };
  const config = { extends: join(ROOT, 'tsconfig.base.json'), include: ['*.ts'], compilerOptions };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  return promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    (failure: { stdout: string }) => failure.stdout,
  );
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarterdeck-documents-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('shows programs that compile, and tests that pass', async () => {
  const programs = blocksIn('ts').map(({ place, text }) => [`${place.replaceAll(/[^\w]+/g, '-')}.ts`, text] as const);
  expect(programs.length).toBeGreaterThanOrEqual(10);
  await linkPackages(join(folder, 'node_modules'));
  expect(await compile(folder, Object.fromEntries(programs), ['node'])).toBe('');
  // Programs with a fake server need nothing else to run.
  for (const [name] of nonEmpty(programs.filter(([, text]) => text.includes('@quarterdeck/sdk/testing')))) {
    const run = ['--conditions=@quarterdeck/source', '--no-warnings', join(folder, name)];
    expect(await promisify(execFile)(process.execPath, run), name).toEqual({ stdout: '', stderr: '' });
  }
});

it('has manifests without keys that Kubernetes does not know', async () => {
  const manifests = readFileSync(`${ROOT}packaging/container/kubernetes.yaml`, 'utf8');
  const [service, set] = parseAllDocuments(manifests).map((document) => document.toJS());
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const problems = (one: object) =>
    compile(
      folder,
      { 'service.ts': programOf('IService', 'v1', service), 'set.ts': programOf('IStatefulSet', 'apps/v1', one) },
      [],
    );
  expect(await problems(set)).toBe('');
  expect(await problems({ ...set, spec: { ...set.spec, replica: 1 } })).toContain(`'"replica"' does not exist`);
});

/** A program with a manifest as a literal of its type, which has no other keys. */
const programOf = (type: string, from: string, manifest: object) =>
  `import type { ${type} } from 'kubernetes-models/${from}';
   export const manifest: ${type} = ${JSON.stringify(manifest)};`;
