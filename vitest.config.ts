import { defineConfig } from 'vitest/config';

// Workspace packages run from their sources; see tsconfig.base.json for the same condition.
const conditions = ['@quarterdeck/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,apps}/*/{src,test}/**/*.test.{ts,tsx}'],
    typecheck: { enabled: false },
    setupFiles: ['./test/fail-on-console.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    restoreMocks: true,
  },
});
