// Bundles the threads of the server for the tests of a run, as a release does: a thread that loads 200 modules of
// TypeScript needs half a second of processor time before its first message.
import { existsSync, globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { threadsFolder } from './threads-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Native addons and what finds its files beside itself. The bundle is outside of the packages that can import them. */
const EXTERNAL = /^(?:better-sqlite3|@node-rs\/argon2|@prisma\/schema-engine-wasm.*)$/;
const MISSING = /^(?:pg-native|pg-cloudflare)$/;
const packages = [`${ROOT}packages/core/package.json`, `${ROOT}apps/server/package.json`].map((path) =>
  createRequire(path),
);

/** Absolute path of an external package. */
function pathOf(name: string): string {
  for (const { resolve } of packages) {
    try {
      return resolve(name);
    } catch {
      // The other package may have it.
    }
  }
  throw new Error(`no package has ${name}`);
}

/** Writes a bundle of each thread, once in a run. */
export async function bundleThreads(): Promise<void> {
  const dir = threadsFolder();
  if (existsSync(dir)) return;
  const files = globSync('{apps/server,packages/{core,intake,store}}/src/**/*.worker.ts', { cwd: ROOT });
  const bundle = await rolldown({
    input: Object.fromEntries(files.map((file) => [parse(file).name, ROOT + file])),
    platform: 'node',
    resolve: { conditionNames: ['@quarterdeck/source', 'node', 'import'] },
    plugins: [
      {
        name: 'external packages',
        resolveId: (id) => {
          if (MISSING.test(id)) return { id, external: true };
          return EXTERNAL.test(id) ? { id: pathOf(id), external: true } : undefined;
        },
      },
    ],
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' });
  await bundle.close();
}
