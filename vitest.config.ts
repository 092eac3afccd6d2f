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
  // Many tests start programs, and a machine that checks may be slow: beyond this one hangs.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // V8 may lose count of its pages of machine code and end the process (nodejs/node#64500) when WebAssembly is loaded
  // and dropped often: a Prisma client for each server, threads that strip types. This turns off the protection that
  // does so, on the platform that has it.
  execArgv: process.platform === 'linux' && process.arch === 'x64' ? ['--no-memory-protection-keys'] : [],
  // Files of a worker share their imports: loading the server costs more than most files take.
  isolate: false,
};

// React as it is shipped. Its development build, which also warns of mistakes, takes twice the processor time.
const NODE_ENV = IS_THOROUGH ? 'development' : 'production';
const react = { oxc: { jsx: { development: IS_THOROUGH } } };

// Tests through HTTP can run on each database.
const HTTP_TESTS = 'apps/server/{src,test}/**/*.http.test.ts';
const http = { ...common, setupFiles: [...common.setupFiles, './apps/server/test/compiled-threads.ts'] };
// Tests with a process of their own: those that start, and sometimes kill, a PostgreSQL, and one that searches all
// reachable memory for secrets.
const ISOLATED_TESTS = ['packages/core/test/**/*.test.ts', 'packages/sdk/src/transport-secrets.test.ts'];

// The thorough run has every test on both databases. The usual one has those of the store, and of the statements that
// differ most between them.
const POSTGRESQL_TESTS = IS_THOROUGH
  ? [HTTP_TESTS]
  : [
      'apps/server/src/{sql,errlog-store}/**/*.http.test.ts',
      'apps/server/src/features/agent/agent{-filter,.list}.http.test.ts',
      'apps/server/test/{two-servers,*-upgrade}.http.test.ts',
    ];
// They have many combinations, or long waits, for few statements.
const NOT_ON_POSTGRESQL = IS_THOROUGH
  ? []
  : [
      '**/errlog-store/read/{list,model,ordered-scan,search}.http.test.ts',
      'apps/server/test/release-upgrade.http.test.ts',
    ];

// Long tests of kills, attacks, services, moves and backups that only the thorough run has: each starts many programs
// or databases.
const THOROUGH_TESTS = IS_THOROUGH
  ? []
  : [
      '**/{container-logs.,}kill.test.ts',
      '**/{ledger,webhook}-faults.test.ts',
      '**/agent-{changes,journal,shipping}.test.ts',
      '**/service-manager.test.ts',
      'apps/server/test/{first-start,https,socket-activation}.test.ts',
      'apps/server/src/backup/restore.test.ts',
      'packages/core/test/db/{dump,failover,move,processes}.test.ts',
      'test/documents/first-ten-minutes.test.ts',
    ];
const THOROUGH_HTTP_TESTS = IS_THOROUGH ? [] : ['**/{bombs,retention-flood}.http.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['./test/scratch-folder.ts'],
    // One more than there are cores, because tests wait for the disk, for processes and for terminals.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        ...shared,
        ...react,
        test: {
          ...common,
          env: { NODE_ENV },
          name: 'unit',
          include: ['{packages,apps}/*/{src,test}/**/*.test.{ts,tsx}', 'test/documents/*.test.ts'],
          exclude: [HTTP_TESTS, ...ISOLATED_TESTS, ...THOROUGH_TESTS],
        },
      },
      {
        ...shared,
        test: { ...common, name: 'isolated', include: ISOLATED_TESTS, exclude: THOROUGH_TESTS, isolate: true },
      },
      {
        ...shared,
        test: {
          ...http,
          name: 'http on sqlite',
          include: [HTTP_TESTS],
          exclude: THOROUGH_HTTP_TESTS,
          globalSetup: ['./apps/server/test/sqlite-setup.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...http,
          name: 'http on postgresql',
          include: POSTGRESQL_TESTS,
          exclude: NOT_ON_POSTGRESQL,
          globalSetup: ['./apps/server/test/postgres-setup.ts'],
        },
      },
    ],
  },
});
