// Loads modules of the built program, so that benches measure the build; the types detect a changed interface.

/** Modules by their path in the repository. */
interface Built {
  'packages/core/dist/db/open/index.js': typeof import('../packages/core/src/db/open/index.ts');
  'packages/core/dist/db/postgresql/pool.js': typeof import('../packages/core/src/db/postgresql/pool.ts');
  'packages/sdk/dist/index.js': typeof import('../packages/sdk/src/index.ts');
  'apps/server/dist/settings/config.js': typeof import('../apps/server/src/settings/config.ts');
  'apps/server/dist/compose/server.js': typeof import('../apps/server/src/compose/server.ts');
  'apps/server/dist/auth/passwords.js': typeof import('../apps/server/src/auth/passwords.ts');
  'apps/server/dist/features/webhook/transports/email-content.js': typeof import('../apps/server/src/features/webhook/transports/email-content.ts');
  'packages/core/dist/fingerprint/index.js': typeof import('../packages/core/src/fingerprint/index.ts');
  'apps/server/dist/features/suspects/odd-one-out.js': typeof import('../apps/server/src/features/suspects/odd-one-out.ts');
  'packages/store/dist/write/group-lines.js': typeof import('../packages/store/src/write/group-lines.ts');
  'packages/store/dist/write/line-columns.js': typeof import('../packages/store/src/write/line-columns.ts');
  'packages/store/dist/write/new-group-limit.js': typeof import('../packages/store/src/write/new-group-limit.ts');
  'packages/store/dist/write/store-batch.js': typeof import('../packages/store/src/write/store-batch.ts');
  'packages/store/dist/tables/sources.js': typeof import('../packages/store/src/tables/sources.ts');
  'packages/store/dist/tables/search-index.js': typeof import('../packages/store/src/tables/search-index.ts');
}

/** Loads a module of the built program. */
export const built = async <Path extends keyof Built>(path: Path): Promise<Built[Path]> =>
  await import(new URL(`../${path}`, import.meta.url).href);
