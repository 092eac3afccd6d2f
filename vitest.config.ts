import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

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
};

// Tests through HTTP run twice, once on each database.
const HTTP_TESTS = 'apps/server/{src,test}/**/*.http.test.ts';

export default defineConfig({
  test: {
    // One more than there are cores: tests wait for the disk, for processes and for terminals.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        ...shared,
        test: {
          ...common,
          name: 'unit',
          include: ['{packages,apps}/*/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [HTTP_TESTS],
        },
      },
      { ...shared, test: { ...common, name: 'http on sqlite', include: [HTTP_TESTS] } },
      {
        ...shared,
        test: {
          ...common,
          name: 'http on postgresql',
          include: [HTTP_TESTS],
          globalSetup: ['./apps/server/test/postgres-setup.ts'],
        },
      },
    ],
  },
});
