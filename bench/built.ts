// The modules of the built program that benches use. What is built is what is measured; the types say when it has changed.

/** Modules by their path in the repository. */
interface Built {
  'packages/core/dist/index.js': typeof import('../packages/core/src/index.ts');
  'packages/core/dist/db/index.js': typeof import('../packages/core/src/db/index.ts');
  'packages/sdk/dist/index.js': typeof import('../packages/sdk/src/index.ts');
  'apps/server/dist/auth/secrets.js': typeof import('../apps/server/src/auth/secrets.ts');
  'apps/server/dist/auth/session-idle.js': typeof import('../apps/server/src/auth/session-idle.ts');
  'apps/server/dist/http/identify.js': typeof import('../apps/server/src/http/identify.ts');
  'apps/server/dist/features/errlog/changes/errlog.changes.js': typeof import('../apps/server/src/features/errlog/changes/errlog.changes.ts');
  'apps/server/dist/features/errlog/fingerprint/fingerprint.js': typeof import('../apps/server/src/features/errlog/fingerprint/fingerprint.ts');
  'apps/server/dist/features/errlog/intake/errlog.store.js': typeof import('../apps/server/src/features/errlog/intake/errlog.store.ts');
  'apps/server/dist/features/errlog/intake/source.repo.js': typeof import('../apps/server/src/features/errlog/intake/source.repo.ts');
  'apps/server/dist/features/errlog/print-index.js': typeof import('../apps/server/src/features/errlog/print-index.ts');
  'apps/server/dist/features/errlog/read/search-index.js': typeof import('../apps/server/src/features/errlog/read/search-index.ts');
}

/** Loads a module of the built program. */
export const built = async <Path extends keyof Built>(path: Path): Promise<Built[Path]> =>
  await import(new URL(`../${path}`, import.meta.url).href);
