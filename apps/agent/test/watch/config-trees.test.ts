import {
  chmod,
  chown,
  lchown,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { createConfigTrees } from '../../src/watch/config/config-trees.ts';
import { temporaryFolder } from '../temporary.ts';
import { treeOf } from './config-tree.ts';

const HASH = expect.stringMatching(/^[0-9a-f]{12}$/);

describe('the watcher of configuration', () => {
  it('finds files that appeared, changed and disappeared, and nothing else', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await tree.write('conf.d/x.conf', 'x');
    expect(await tree.changes()).toEqual([]);
    expect(await tree.changes()).toEqual([]);
    await tree.write('nginx.conf', 'b');
    await tree.write('conf.d/y.conf', 'y');
    await rm(join(tree.root, 'conf.d/x.conf'));
    const changes = await tree.changes();
    expect(changes).toEqual([
      ['conf.d/x.conf', HASH, 'absent'],
      ['conf.d/y.conf', 'absent', HASH],
      ['nginx.conf', HASH, HASH],
    ]);
    expect(changes[2]?.[1]).not.toBe(changes[2]?.[2]);
    expect(await tree.changes()).toEqual([]);
  });

  it('compares with the last look of an earlier process', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await tree.look();
    await tree.write('nginx.conf', 'b');
    tree.restart();
    expect(await tree.changes()).toEqual([['nginx.conf', HASH, HASH]]);
  });

  it('sees a change that keeps size and modification time, and none where only the time changes', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    const { atime, mtime } = await stat(join(tree.root, 'nginx.conf'));
    await tree.look();
    await tree.write('nginx.conf', 'b');
    await utimes(join(tree.root, 'nginx.conf'), atime, mtime);
    expect(await tree.changes()).toHaveLength(1);
    await utimes(join(tree.root, 'nginx.conf'), 1, 1);
    expect(await tree.changes()).toEqual([]);
    await tree.write('draft', 'b');
    await rename(join(tree.root, 'draft'), join(tree.root, 'nginx.conf'));
    expect(await tree.changes()).toEqual([]);
  });

  it('finds changes of modes, also of folders', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await chmod(join(tree.root, 'nginx.conf'), 0o644);
    await chmod(join(tree.root, 'conf.d'), 0o755);
    await tree.look();
    await chmod(join(tree.root, 'nginx.conf'), 0o600);
    await chmod(join(tree.root, 'conf.d'), 0o711);
    const owner = `${process.getuid?.()}:${process.getgid?.()}`;
    expect(await tree.changes()).toEqual([
      ['conf.d', `mode 0755 ${owner}`, `mode 0711 ${owner}`],
      ['nginx.conf', `mode 0644 ${owner}`, `mode 0600 ${owner}`],
    ]);
  });

  it('tells when a file changed, by the time that the host keeps', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await tree.write('gone.conf', 'a');
    await tree.look();
    await tree.write('nginx.conf', 'b');
    await rm(join(tree.root, 'gone.conf'));
    const { ctimeMs } = await stat(join(tree.root, 'nginx.conf'));
    const { mtimeMs } = await stat(tree.root);
    const { changes } = await tree.look();
    expect(changes.map(({ atMs }) => atMs)).toEqual([mtimeMs, ctimeMs]);
  });

  it('follows no link below the root, and reports its target', async () => {
    const tree = await treeOf();
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'secret'), 's');
    await mkdir(join(outside, 'folder'));
    await writeFile(join(outside, 'folder', 'f'), 's');
    await symlink(join(outside, 'secret'), join(tree.root, 'link.conf'));
    await symlink(join(outside, 'folder'), join(tree.root, 'linked'));
    const { observed } = await tree.look();
    expect(Object.keys(observed).filter((path) => path.startsWith('/'))).toEqual(
      ['', '/conf.d', '/link.conf', '/linked'].map((name) => tree.root + name),
    );
    await writeFile(join(outside, 'secret'), 'other');
    await writeFile(join(outside, 'folder', 'g'), 'other');
    expect(await tree.changes()).toEqual([]);
    await rm(join(tree.root, 'link.conf'));
    await symlink('nginx.conf', join(tree.root, 'link.conf'));
    expect(await tree.changes()).toEqual([['link.conf', `link to ${outside}/secret`, 'link to nginx.conf']]);
  });

  it.runIf(process.getuid?.() === 0)('reads no file of root through a root or a name of an application', async () => {
    const tree = await treeOf((root) => [root, `${root}-link`]);
    const secret = join(await temporaryFolder(), 'secret');
    await writeFile(secret, 'a');
    await symlink(secret, `${tree.root}-link`);
    await lchown(`${tree.root}-link`, 65_534, 65_534);
    await chown(tree.root, 65_534, 65_534);
    await link(secret, join(tree.root, 'hard.conf'));
    const { observed } = await tree.look();
    expect(Object.keys(observed)).not.toContain(secret);
    expect(observed[join(tree.root, 'hard.conf')]).toMatch(/^denied/);
    expect(tree.lines.join()).toContain('link to files of others');
  });

  it('opens the root through a link, and takes globs', async () => {
    const tree = await treeOf((root) => [`${root}*`, `${root}/conf.d/*.conf`]);
    await tree.write('conf.d/x.conf', 'x');
    await symlink(tree.root, `${tree.root}-link`);
    expect(Object.keys((await tree.look()).observed).filter((path) => path.endsWith('x.conf'))).toEqual([
      join(tree.root, 'conf.d/x.conf'),
    ]);
    await tree.write('conf.d/x.conf', 'y');
    expect(await tree.changes()).toHaveLength(1);
  });

  it('uses a key of its own, readable for the agent only', async () => {
    const [one, other] = [await treeOf(), await treeOf()];
    const hashes: string[] = [];
    for (const tree of [one, other]) {
      await tree.write('htpasswd', 'admin:secret');
      const { observed } = await tree.look();
      hashes.push(observed[join(tree.root, 'htpasswd')]?.split('|').at(-1) ?? '');
      expect((await stat(join(tree.dir, 'key'))).mode & 0o777).toBe(0o600);
      expect((await readFile(join(tree.dir, 'key'))).length).toBe(32);
    }
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[0]).not.toBe(hashes[1]);
    // With another key, hashes cannot be compared.
    await rm(join(one.dir, 'key'));
    one.restart();
    expect(await one.changes()).toEqual([]);
  });

  it('hashes the start of a large file, and says so', async () => {
    const tree = await treeOf();
    await tree.write('geo.conf', 'a');
    await tree.look();
    await truncate(join(tree.root, 'geo.conf'), 3 * 1024 * 1024);
    expect(await tree.changes()).toEqual([
      ['geo.conf', HASH, expect.stringMatching(/^[0-9a-f]{12} \(size, time and first MiB\)$/)],
    ]);
    await truncate(join(tree.root, 'geo.conf'), 4 * 1024 * 1024);
    expect(await tree.changes()).toHaveLength(1);
  });

  it('skips what editors and package managers make for a moment', async () => {
    const tree = await treeOf();
    await tree.look();
    for (const name of ['.x.conf.swp', 'x.conf~', '4913', 'x.conf.dpkg-new', '#x.conf#', '.#x.conf']) {
      await tree.write(name, 'x');
    }
    await mkdir(join(tree.root, '.git'));
    await tree.write('.git/HEAD', 'x');
    expect(await tree.changes()).toEqual([]);
  });

  it('reports no change of files that other settings add or remove', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await tree.write('conf.d/x.conf', 'a');
    await tree.look();
    tree.restart([join(tree.root, 'conf.d')]);
    await tree.write('conf.d/x.conf', 'b');
    expect(await tree.changes()).toEqual([['conf.d/x.conf', HASH, HASH]]);
    tree.restart();
    expect(await tree.changes()).toEqual([]);
  });

  it('sums up the changes of a tree that is replaced', async () => {
    const tree = await treeOf();
    await tree.look();
    for (let n = 0; n < 250; n += 1) await tree.write(`conf.d/${1_000 + n}.conf`, 'x');
    const changes = await tree.changes();
    expect(changes).toHaveLength(201);
    expect(changes.at(-1)).toEqual(['conf.d', '', '50 more changes']);
    expect(await tree.changes()).toEqual([]);
  });

  it('finds files removed with their folder, and none where the tree never existed', async () => {
    const tree = await treeOf();
    await tree.write('conf.d/x.conf', 'x');
    await tree.look();
    await rm(tree.root, { recursive: true });
    expect(await tree.changes()).toEqual([['conf.d/x.conf', HASH, 'absent']]);
    expect(await tree.changes()).toEqual([]);
    await mkdir(tree.root);
    expect(await tree.changes()).toEqual([]);
  });

  it('reports a file that changes all the time ten times an hour, and later what became of it', async () => {
    const tree = await treeOf();
    await tree.write('counter', '0');
    await tree.write('nginx.conf', 'a');
    await tree.look();
    const seen: [string, string, string][] = [];
    for (let n = 1; n <= 14; n += 1) {
      await tree.write('counter', `${n}`);
      seen.push(...(await tree.changes()));
    }
    expect(seen).toHaveLength(10);
    await tree.write('nginx.conf', 'b');
    expect(await tree.changes()).toEqual([['nginx.conf', HASH, HASH]]);
    tree.clock.laterMs = 3_700_000;
    const later = await tree.changes();
    expect(later).toEqual([['counter', seen.at(-1)?.[2], HASH]]);
    expect(await tree.changes()).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('knows nothing of what it cannot read', async () => {
    const tree = await treeOf((root) => [root, `${root}/*/x.conf`]);
    await tree.write('conf.d/x.conf', 'a');
    await tree.look();
    for (const folder of ['conf.d', '']) {
      await chmod(join(tree.root, folder), 0);
      expect((await tree.changes()).map(([name, , to]) => [name, to.slice(0, 9)])).toEqual([[folder, 'mode 0000']]);
      await chmod(join(tree.root, folder), 0o755);
      expect((await tree.changes()).map(([name]) => name)).toEqual([folder]);
    }
  });

  it.skipIf(process.getuid?.() === 0)('compares size and time of a file that it may not read', async () => {
    const tree = await treeOf();
    const path = join(tree.root, 'nginx.conf');
    await tree.write('nginx.conf', 'a');
    await chmod(path, 0o600);
    await tree.look();
    await chmod(path, 0);
    expect((await tree.changes()).map(([, from, to]) => [from.slice(0, 9), to.slice(0, 9)])).toEqual([
      ['mode 0600', 'mode 0000'],
    ]);
    expect(await tree.changes()).toEqual([]);
    await utimes(path, 1, 1);
    const DENIED = expect.stringMatching(/^[0-9a-f]{12} \(size and time\)$/);
    expect(await tree.changes()).toEqual([['nginx.conf', DENIED, DENIED]]);
    await chmod(path, 0o600);
    expect((await tree.changes()).map(([, from]) => from.slice(0, 9))).toEqual(['mode 0000']);
  });

  it('ends when it is stopped', async () => {
    const tree = await treeOf();
    const watcher = createConfigTrees({
      trees: [tree.root],
      withDiffs: false,
      dir: tree.dir,
      installationKey: () => undefined,
      now: Date.now,
      log: createLog({ write: () => undefined }, 'silent', false),
    });
    await expect(watcher.look(undefined, AbortSignal.abort(new Error('too long')))).rejects.toThrow('too long');
  });

  it('reads a hard link as the file that it is', async () => {
    const tree = await treeOf();
    await tree.write('a.conf', 'a');
    await link(join(tree.root, 'a.conf'), join(tree.root, 'b.conf'));
    await tree.look();
    await tree.write('a.conf', 'b');
    expect((await tree.changes()).map(([name]) => name)).toEqual(['a.conf', 'b.conf']);
  });
});
