// Lints bad examples with a copy of the repository's configuration, in a temporary folder.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { nonEmpty } from '../../../test/non-empty.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

const QUERIES = 'Queries belong in a *.repo.ts file';
const FIELDS = 'Pick the wanted fields';
const SPREAD = 'Write the properties into the object';
const TERNARY = 'Do not nest ternary expressions';

const FOLDER = 'apps/server/src/features/example';
const BAD: readonly (readonly [file: string, message: string, text: string])[] = [
  ['typed.service.ts', QUERIES, 'export const n = (tx) => tx.prisma.user.count();'],
  ['prepared.service.ts', QUERIES, 'export const n = (tx, one) => tx.read.sql.get(one);'],
  ['destructured.service.ts', QUERIES, 'export const n = ({ prisma }) => prisma.user.count();'],
  ['statement.service.ts', QUERIES, "import { type Tx, statement } from '@quarterdeck/core/db';"],
  ['cached.service.ts', QUERIES, "import { cached } from '../../sql/cached.ts';"],
  ['dropped.service.ts', FIELDS, 'export const f = ({ a: _, b: __, ...rest }) => rest;'],
  ['spread.service.ts', SPREAD, 'export const f = (a, b) => ({ ...{ a, b } });'],
  ['constant.service.ts', SPREAD, 'export const f = (a) => ({ ...({ a } as const) });'],
  ['ternary.repo.ts', TERNARY, "export const f = (a, b) => (a ? 'x' : b ? 'y' : 'z');"],
];
const GOOD: readonly (readonly [file: string, text: string])[] = [
  ['typed.repo.ts', 'export const n = ({ prisma }) => prisma.user.count();'],
  ['statement.repo.ts', "import { statement } from '@quarterdeck/core/db';\nexport const s = statement('SELECT 1');"],
  ['type.service.ts', "import type { Database } from '@quarterdeck/core/db';\nexport type D = Database;"],
  ['spread.good.ts', 'export const f = (a, b) => ({ ...b, ...(a ? { a } : {}) });'],
];

describe('pnpm lint', () => {
  const folder = newFolder();

  const messages = new Map<string, string>();
  beforeAll(() => {
    cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
    cpSync(join(ROOT, 'scripts', 'lint'), join(folder, 'scripts', 'lint'), { recursive: true });
    for (const [file, text] of [...BAD.map(([name, , bad]) => [name, bad] as const), ...GOOD]) {
      const path = join(folder, FOLDER, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${text}\n`);
    }
    const args = [BIOME, 'lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', FOLDER];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    for (const text of stdout.split('::error').slice(1)) {
      const file = /file=[^,]*?([^/,]+),/.exec(text)?.[1] ?? '';
      messages.set(file, `${messages.get(file) ?? ''}${text}`);
    }
  });

  it.each(nonEmpty(BAD))('refuses %s: %s', (file, message) => {
    expect(messages.get(file)).toContain(message);
  });

  it.each(nonEmpty(GOOD))('accepts %s', (file) => {
    expect(messages.get(file)).toBeUndefined();
  });
});
