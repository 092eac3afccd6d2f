// Bundles the server for a release: one entry for the program and one for each thread. All are in one folder, because
// a thread finds its file beside the module that starts it. Native addons and the migration engine stay packages.
import { globSync, readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { defineConfig } from 'rolldown';
import { licenceNotices } from '../../scripts/release/notices.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };
const threads = globSync(['src/**/*.worker.ts', '../../packages/{core,intake,store}/dist/**/*.worker.js'], {
  cwd: import.meta.dirname,
});

export default defineConfig({
  input: { quarterdeckd: 'src/main.ts', ...Object.fromEntries(threads.map((file) => [parse(file).name, file])) },
  platform: 'node',
  external: [
    ...['better-sqlite3', '@node-rs/argon2', /^@prisma\/schema-engine-wasm/],
    // Not installed, and never called: docs/reference/dependencies.md.
    ...['pg-native', 'pg-cloudflare', 'qs', 'send'],
  ],
  output: {
    dir: 'bundle/lib/server',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    sourcemap: true,
    // Names stay readable in stack traces.
    minify: { compress: true, mangle: false },
    cleanDir: true,
  },
  transform: { target: 'node22', define: { BUNDLED_VERSION: JSON.stringify(version) } },
  plugins: [licenceNotices()],
});
