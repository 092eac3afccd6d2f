// Mutation testing, `pnpm mutate PART`: the files of each part to mutate, and the tests that must detect it.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Patterns of files, from the root. */
interface Part {
  readonly files: readonly string[];
  readonly except: readonly string[];
  readonly tests: readonly string[];
}

const SERVER = 'apps/server/src';
const FINGERPRINT = 'packages/core/src/fingerprint';

const FEATURES = `${SERVER}/features`;
const STORE = 'packages/store/src';
const INTAKE = 'packages/intake/src';

/** Modules that work without a database and a server, and their unit tests. */
export const PARTS: Readonly<Record<string, Part>> = {
  core: {
    files: ['packages/core/src/**/*.ts'],
    except: ['packages/core/src/db/**'],
    tests: ['packages/core/src/**/*.test.ts', `${INTAKE}/**/*.test.ts`],
  },
  sdk: { files: ['packages/sdk/src/**/*.ts'], except: [], tests: ['packages/sdk/src/**/*.test.ts'] },
  agent: {
    files: ['apps/agent/src/**/*.ts'],
    except: ['apps/agent/src/{main,log,folder-lock}.ts'],
    tests: ['apps/agent/{src,test}/**/*.test.ts'],
  },
  auth: {
    files: [`${SERVER}/auth/*.ts`],
    // Code about the database, which tests through HTTP cover.
    except: [`${SERVER}/auth/{key-check,throttle}.ts`],
    tests: [`${SERVER}/auth/*.test.ts`],
  },
  ingest: {
    files: [`${INTAKE}/**/*.ts`],
    except: [`${INTAKE}/{*.worker,udp-reader,bind-tls,bind-syslog}.ts`],
    tests: [`${INTAKE}/**/*.test.ts`],
  },
  fingerprint: { files: [`${FINGERPRINT}/*.ts`], except: [], tests: [`${FINGERPRINT}/*.test.ts`] },
  alert: {
    files: [
      `${FEATURES}/alert/{plan,server-health,shown-title}.ts`,
      `${FEATURES}/alert/kinds/{health-causes,usually-sends,words}.ts`,
    ],
    except: [],
    tests: [`${FEATURES}/alert/**/*.test.ts`],
  },
  webhook: {
    files: [
      `${FEATURES}/webhook/{message-body,recall,retry-plan}.ts`,
      `${FEATURES}/webhook/transports/{alertmanager,email,http-post,message-text,slack,standard,summary,teams}.ts`,
    ],
    except: [],
    tests: [`${FEATURES}/webhook/**/*.test.ts`],
  },
  line: {
    files: [
      `${FEATURES}/line/{histogram-span,live-lines}.ts`,
      `${STORE}/lines/{nginx-values,search-queue,value-counts}.ts`,
    ],
    except: [],
    tests: [`${FEATURES}/line/*.test.ts`, `${STORE}/lines/*.test.ts`],
  },
  change: {
    files: [`${FEATURES}/change/effects/{effect-tests,effect-times}.ts`],
    except: [],
    tests: [`${FEATURES}/change/effects/*.test.ts`],
  },
  backup: {
    files: [`${SERVER}/backup/{backup-folder,schedule}.ts`],
    except: [],
    tests: [`${SERVER}/backup/*.test.ts`],
  },
  segments: {
    files: [`${STORE}/segments/*.ts`, `${STORE}/packing/packing-plan.ts`],
    except: [],
    tests: [`${STORE}/{segments,packing}/*.test.ts`],
  },
};

/**
 * Tests of the built program, of many processes, or of memory: these would not detect a mutant, or fail without one.
 */
const LEFT_OUT = [
  '**/*.{http,thorough}.test.ts',
  '**/{main,one-file,folder-lock,environment,transport-secrets}.test.ts',
];

const conditions = ['@quarterdeck/source', 'node'];
// Tests of other packages use the mutated copy of core. Otherwise linked packages would resolve to the original.
const core = fileURLToPath(new URL('packages/core/src/', import.meta.url));
const alias = [
  { find: /^@quarterdeck\/core$/, replacement: `${core}index.ts` },
  { find: /^@quarterdeck\/core\/db$/, replacement: `${core}db/open/index.ts` },
  { find: /^@quarterdeck\/core\/(filter|fingerprint|lines|threads)$/, replacement: `${core}$1/index.ts` },
  { find: /^@quarterdeck\/core\/(addresses|environment|plain|tls)$/, replacement: `${core}$1.ts` },
];

export default defineConfig({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  test: {
    include: [...(PARTS[process.env['QUARTERDECK_MUTATE'] ?? '']?.tests ?? [])],
    exclude: LEFT_OUT,
    setupFiles: ['./test/fail-on-console.ts'],
    globalSetup: ['./test/scratch-folder.ts'],
    testTimeout: 30_000,
  },
});
