// Folders are rooms with doors in one direction: a room can be read, tried and changed without what needs it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../new-folder.ts';
import { nonEmpty } from '../non-empty.ts';
import { explainCircle, findCircle, importsOfFiles, importsOfFolders } from './import-graph.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** The sources of all workspaces. */
const SOURCES = [
  'apps/server/src',
  'apps/agent/src',
  'apps/cli/src',
  'apps/tui/src',
  'apps/web/src',
  'packages/core/src',
  'packages/express/src',
  'packages/intake/src',
  'packages/mcp/src',
  'packages/sdk/src',
  'packages/store/src',
  'packages/views/src',
];

it.each(nonEmpty(SOURCES))('no circle is in the imports between the folders of %s', (folder) => {
  const files = importsOfFiles(join(ROOT, folder));
  expect(files.size).toBeGreaterThan(10);
  const circle = findCircle(importsOfFolders(files));
  expect(circle && explainCircle(files, circle)).toBeUndefined();
});

describe('a circle', () => {
  function write(sources: Readonly<Record<string, string>>) {
    const folder = newFolder();
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return importsOfFiles(folder);
  }

  it('of types over three folders is found, with the imports that make it', () => {
    const files = write({
      'a/one.ts': "import type { Two } from '../b/two.ts';",
      'b/two.ts': "export { three } from '../c/three.ts';",
      'c/three.ts': "const { one } = await import('../a/other.ts');",
      'a/other.ts': '',
    });
    const circle = findCircle(importsOfFolders(files)) ?? [];
    expect(circle).toHaveLength(4);
    expect(explainCircle(files, circle).sort()).toEqual([
      'a -> b: a/one.ts -> b/two.ts',
      'b -> c: b/two.ts -> c/three.ts',
      'c -> a: c/three.ts -> a/other.ts',
    ]);
  });

  it('is not what two ways to one folder make, nor the import of a test', () => {
    const files = write({
      'a/one.ts': "import '../b/two.ts'; import '../c/three.ts';",
      'b/two.ts': "import '../c/three.ts';",
      'c/three.ts': '',
      'c/three.test.ts': "import '../a/one.ts';",
    });
    expect(findCircle(importsOfFolders(files))).toBeUndefined();
  });
});
