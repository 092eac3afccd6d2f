import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { EXTENT, IS_THOROUGH } from './test/thoroughness.ts';

// Workspace packages run from their sources; see tsconfig.base.json for the same condition.
const SOURCES = '@quarterdeck/source';
/** Longest wait for a state, in milliseconds; shorter than the limit of a test, to say what is missing. */
const PATIENCE_MS = 50_000;

const common = {
  setupFiles: ['./test/fail-on-console.ts', './packages/core/test/reversed-rows.ts'],
  // They only end what hangs; the machine may do other work.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // V8 may lose count of its pages of machine code and end the process (nodejs/node#64500) when WebAssembly is loaded
  // and dropped often: a Prisma client for each server, threads that strip types. This turns off the protection that
  // does so, on the platform that has it.
  execArgv: [
    `--conditions=${SOURCES}`,
    '--max-semi-space-size=32',
    ...(process.platform === 'linux' && process.arch === 'x64' ? ['--no-memory-protection-keys'] : []),
  ],
  // Files of a worker share their imports: loading the server costs more than most files take.
  isolate: false,
  // A test that depends on another one fails at times: the seed of a run is printed, and `--sequence.seed` repeats it.
  sequence: { shuffle: { files: true, tests: true } },
  // A loop over an empty list is no proof.
  expect: { requireAssertions: true, poll: { timeout: PATIENCE_MS } },
};

// Node runs the sources itself, as it runs the server: Vite's runner costs a tenth of the processor time.
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };

// Node has no JSX. React is the build that is shipped; its development build, which also warns of mistakes, takes twice
// the processor time.
const NODE_ENV = IS_THOROUGH ? 'development' : 'production';
const conditions = [SOURCES, 'node'];
const jsx = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { development: IS_THOROUGH } },
};

// Tests through HTTP can run on each database.
const HTTP_TESTS = 'apps/{server,web}/{src,test}/**/*.http.test.ts';
const http = { ...common, ...native, setupFiles: [...common.setupFiles, './apps/server/test/bundled-threads.ts'] };
const TUI_TESTS = 'apps/tui/{src,test}/**/*.test.{ts,tsx}';
const UNIT_TESTS = ['{packages,apps}/*/{src,test}/**/*.test.ts', 'test/{documents,imports,sim}/*.test.ts'];
// Thorough tests with a process of their own: they start, and sometimes kill, a PostgreSQL, and count the timers of the
// process.
const ISOLATED_TESTS = ['packages/core/test/**/*.thorough.test.ts'];

// Tests that start programs, kill, wait, or need databases of their own: `NAME.thorough.test.ts`. The default run has
// none of them.
const THOROUGH_TESTS = '**/*.thorough.{http.,}test.{ts,tsx}';
const onlyThorough = IS_THOROUGH ? [] : [THOROUGH_TESTS];

/** Picks the files of this run. `rest` is what the thorough run has besides, or does with more combinations. */
const ofThisRun = (patterns: readonly string[]): string[] =>
  EXTENT === 'rest' ? globSync(patterns).filter((file) => hasMore(file)) : [...patterns];

const hasMore = (file: string): boolean =>
  matchesGlob(file, THOROUGH_TESTS) || file.endsWith('.tsx') || readFileSync(file, 'utf8').includes('/thoroughness.ts');

export default defineConfig({
  test: {
    globalSetup: ['./test/scratch-folder.ts'],
    // One more than there are cores, because tests wait for the disk, for processes and for terminals.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...common,
          ...native,
          // In workers of their own: they stop clocks and count timers, and would find those of the servers.
          name: 'unit',
          include: ofThisRun(UNIT_TESTS),
          exclude: [HTTP_TESTS, TUI_TESTS, ...ISOLATED_TESTS, ...onlyThorough],
        },
      },
      {
        test: {
          ...http,
          name: 'sqlite',
          include: ofThisRun([HTTP_TESTS]),
          exclude: onlyThorough,
          globalSetup: ['./apps/server/test/sqlite-setup.ts'],
        },
      },
      {
        test: {
          ...http,
          name: 'postgresql',
          // In the default run none. Its server alone takes six seconds to start.
          include: EXTENT === 'default' ? [] : [HTTP_TESTS],
          exclude: onlyThorough,
          globalSetup: ['./apps/server/test/postgres-setup.ts'],
        },
      },
      {
        ...jsx,
        test: {
          ...common,
          env: { NODE_ENV },
          // The stored modules do not tell which build of JSX they have.
          fsModuleCachePath: `node_modules/.vitest-cache-${NODE_ENV}`,
          name: 'tui',
          include: ofThisRun([TUI_TESTS]),
          exclude: onlyThorough,
        },
      },
      {
        test: {
          ...common,
          ...native,
          name: 'isolated',
          include: ofThisRun(ISOLATED_TESTS),
          exclude: onlyThorough,
          isolate: true,
        },
      },
    ],
  },
});
