import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../src/observe/watcher.ts';
import { treeOf } from './config-tree.ts';

describe('the changed lines', () => {
  const withDiffs = () => treeOf((root) => [root], true);
  const diffsOf = ({ changes }: Look) => changes.map(({ diff }) => diff);
  const keptIn = (dir: string) => readdir(join(dir, 'contents')).catch(() => undefined);

  it('come with a change, an appearance and a removal, with secrets masked', async () => {
    const tree = await withDiffs();
    await tree.write('nginx.conf', 'listen 80;\npassword x;\n');
    await tree.write('gone.conf', 'ssl on;\n');
    await tree.look();
    await tree.write('nginx.conf', 'listen 81;\npassword y;\n');
    await tree.write('new.conf', 'aio on;\n');
    await rm(join(tree.root, 'gone.conf'));
    expect(diffsOf(await tree.look())).toEqual([
      '@@ -1,1 +1,0 @@\n-ssl on;',
      '@@ -1,0 +1,1 @@\n+aio on;',
      '@@ -1,2 +1,2 @@\n-listen 80;\n-...(10 characters);\n+listen 81;\n+...(10 characters);',
    ]);
  });

  it('are missing without the setting, and nothing is kept then', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await tree.look();
    await tree.write('nginx.conf', 'b');
    expect(diffsOf(await tree.look())).toEqual([undefined]);
    expect(await keptIn(tree.dir)).toBeUndefined();
  });

  it('are missing for files of secrets, whose contents are not kept', async () => {
    const tree = await withDiffs();
    await tree.write('server.key', 'a');
    await writeFile(join(tree.root, 'own.conf'), 'a', { mode: 0o600 });
    await tree.look();
    expect(await keptIn(tree.dir)).toEqual([]);
    await tree.write('server.key', 'b');
    await tree.write('own.conf', 'b');
    expect(diffsOf(await tree.look())).toEqual([undefined, undefined]);
    expect(await keptIn(tree.dir)).toEqual([]);
  });

  it('are the same again where a crash has lost the look that found them', async () => {
    const tree = await withDiffs();
    await tree.write('nginx.conf', 'a');
    const { observed } = await tree.look();
    await tree.write('nginx.conf', 'b');
    const lost = diffsOf(await tree.look());
    tree.restart(undefined, { from: observed });
    expect(diffsOf(await tree.look())).toEqual(lost);
    expect(lost).toEqual(['@@ -1,1 +1,1 @@\n-...(1 character)\n+...(1 character)']);
  });

  it('are missing where the kept content is damaged', async () => {
    const tree = await withDiffs();
    await tree.write('nginx.conf', 'a;\nb;\n');
    await tree.look();
    const [name = ''] = (await keptIn(tree.dir)) ?? [];
    await writeFile(join(tree.dir, 'contents', name), 'a;');
    await tree.write('nginx.conf', 'c;\n');
    expect(diffsOf(await tree.look())).toEqual([undefined]);
  });

  it('need the last content only, which nobody else may read, and which goes when they are turned off', async () => {
    const tree = await withDiffs();
    for (const text of ['a', 'b', 'c']) {
      await tree.write('nginx.conf', text);
      await tree.look();
    }
    await tree.look();
    const kept = (await keptIn(tree.dir)) ?? [];
    expect(kept).toHaveLength(1);
    expect((await stat(join(tree.dir, 'contents', kept[0] ?? ''))).mode & 0o777).toBe(0o600);
    expect((await stat(join(tree.dir, 'contents'))).mode & 0o777).toBe(0o700);
    tree.restart(undefined, { withDiffs: false });
    await tree.look();
    expect(await keptIn(tree.dir)).toBeUndefined();
    // Turned on again, the next look reads the content of the unchanged file.
    tree.restart();
    await tree.look();
    await tree.write('nginx.conf', 'd');
    expect(diffsOf(await tree.look())).toEqual(['@@ -1,1 +1,1 @@\n-...(1 character)\n+...(1 character)']);
  });
});
