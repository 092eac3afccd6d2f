// Prisma's migration engine as WebAssembly: `prisma migrate` without the native engine that has to be downloaded.
import { readFile } from 'node:fs/promises';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Dialect } from './database.ts';
import type { Migration } from './migrations.ts';

// TypeScript declares WebAssembly together with the browser and nowhere else.
interface WebAssemblyGlobal {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
}

let loading: Promise<typeof import('@prisma/schema-engine-wasm/schema_engine_bg')> | undefined;

/** Instantiates the engine by hand: importing a .wasm file makes Node print an experimental warning. */
async function load() {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyGlobal };
  const imports = { './schema_engine_bg.js': withUnrefTimers(bindings) };
  const { instance } = await WebAssembly.instantiate(await readFile(file), imports);
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
  return bindings;
}

/**
 * Lets a process end while a timer of the engine runs. The engine never clears the timer of ten seconds for a lock; its
 * connection keeps the process alive for as long as needed.
 */
function withUnrefTimers(bindings: object): Record<string, unknown> {
  const imports: Record<string, unknown> = { ...bindings };
  for (const [name, binding] of Object.entries(imports)) {
    if (!name.startsWith('__wbg_setTimeout_') || typeof binding !== 'function') continue;
    imports[name] = (...args: unknown[]) => (binding(...args) as NodeJS.Timeout).unref();
  }
  return imports;
}

/** Starts an engine over the connections of `factory`. The caller frees it. */
export async function startSchemaEngine(factory: SqlMigrationAwareDriverAdapterFactory): Promise<SchemaEngine> {
  loading ??= load();
  const { SchemaEngine } = await loading;
  return await SchemaEngine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
}

/** Converts migrations to the form of the engine. */
export function toMigrationList(dialect: Dialect, migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: '/migrations',
    lockfile: { path: 'migration_lock.toml', content: `provider = "${dialect}"\n` },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

export const noFilter = { externalTables: [], externalEnums: [] };
