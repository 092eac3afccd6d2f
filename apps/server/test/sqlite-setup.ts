// A SQLite file with the current tables and no rows, which most tests through HTTP copy.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeTemplate } from '../../../packages/core/test/template.ts';
import { bundleThreads } from './bundle-threads.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the file; absent where the tests run on PostgreSQL. */
    sqliteTemplate: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-template-'));
  await Promise.all([makeTemplate({ kind: 'sqlite', dataDir }), bundleThreads()]);
  project.provide('sqliteTemplate', join(dataDir, 'quarterdeck.db'));
  return () => rmSync(dataDir, { recursive: true, force: true });
}
