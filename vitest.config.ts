import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { IS_THOROUGH } from './test/thoroughness.ts';

// Workspace packages run from their sources; see tsconfig.base.json for the same condition.
const conditions = ['@quarterdeck/source', 'node'];

const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
};
const common = {
  setupFiles: ['./test/fail-on-console.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Where WebAssembly comes and goes (a Prisma client for each server, types taken away in threads), V8 may lose count of
  // its pages of machine code and end the process (nodejs/node#64500), with this protection of theirs, where there is it.
  execArgv: process.platform === 'linux' && process.arch === 'x64' ? ['--no-memory-protection-keys'] : [],
  // The files of a worker share what they import: loading the server costs more than most files take.
  isolate: false,
};

// React as it is shipped. Its form for development, which also warns of mistakes, takes twice the processor time.
const NODE_ENV = IS_THOROUGH ? 'development' : 'production';
const react = { oxc: { jsx: { development: IS_THOROUGH } } };

// Tests through HTTP can run on each database.
const HTTP_TESTS = 'apps/server/{src,test}/**/*.http.test.ts';
const http = { ...common, setupFiles: [...common.setupFiles, './apps/server/test/compiled-threads.ts'] };
// Alone in their process: those with a PostgreSQL of their own, which some of them kill, and one that looks for secrets in
// all that can be reached in memory.
const ISOLATED_TESTS = ['packages/core/test/**/*.test.ts', 'packages/sdk/src/transport-secrets.test.ts'];

// What a feature reads and writes is tried on both databases. What is about every endpoint alike, or comes before the
// database, needs PostgreSQL only in the thorough run.
const POSTGRESQL_TESTS = IS_THOROUGH
  ? [HTTP_TESTS]
  : [
      'apps/server/src/{features,sql,errlog-store}/**/*.http.test.ts',
      'apps/server/test/{two-servers,*-upgrade}.http.test.ts',
    ];

export default defineConfig({
  test: {
    globalSetup: ['./test/scratch-folder.ts'],
    // One more than there are cores: tests wait for the disk, for processes and for terminals.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        ...shared,
        ...react,
        test: {
          ...common,
          env: { NODE_ENV },
          name: 'unit',
          include: ['{packages,apps}/*/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [HTTP_TESTS, ...ISOLATED_TESTS],
        },
      },
      { ...shared, test: { ...common, name: 'isolated', include: ISOLATED_TESTS, isolate: true } },
      {
        ...shared,
        test: {
          ...http,
          name: 'http on sqlite',
          include: [HTTP_TESTS],
          globalSetup: ['./apps/server/test/sqlite-setup.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...http,
          name: 'http on postgresql',
          include: POSTGRESQL_TESTS,
          globalSetup: ['./apps/server/test/postgres-setup.ts'],
        },
      },
    ],
  },
});
