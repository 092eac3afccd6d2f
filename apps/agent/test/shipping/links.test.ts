// Names in a folder of an application that lead elsewhere: only what the rules allow is read, and nothing blocks.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSafely } from '../../src/files/safe-open.ts';
import { temporaryFolder } from '../temporary.ts';
import { type Following, startFollowing, startFollowingWith } from './following.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const REFUSED = 'a file to follow is refused';

/** A file beside the followed folder. */
async function secretBeside(logs: Following, uid?: number): Promise<string> {
  const path = join(dirname(logs.dir), 'secret');
  await writeFile(path, 'secret\n');
  if (uid !== undefined) chownSync(path, uid, uid);
  return path;
}

/** Runs a body as the user of the unit, who is not root. */
async function asNobody<T>(body: () => Promise<T>): Promise<T> {
  process.seteuid?.(NOBODY);
  try {
    return await body();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a symbolic link among the followed files', () => {
  it('is refused where it leads out of the folder, and logged and counted once', async () => {
    const logs = await startFollowing('*.log');
    symlinkSync(await secretBeside(logs), join(logs.dir, 'evil.log'));
    symlinkSync('/dev/zero', join(logs.dir, 'device.log'));
    expect(await logs.add('real.log', 'one\n')).toEqual(['one']);
    expect(await logs.look()).toEqual([]);
    expect(logs.said.filter((text) => text === REFUSED)).toHaveLength(2);
    expect(logs.follower).toMatchObject({ count: 1, refused: 2, losses: 0 });
    rmSync(join(logs.dir, 'evil.log'));
    await logs.look();
    expect(logs.follower).toMatchObject({ refused: 1, losses: 0 });
  });

  it('is followed within the folder, and to a folder of the settings', async () => {
    const roots = await temporaryFolder();
    const logs = await startFollowingWith([roots], 'current/*.log');
    mkdirSync(join(logs.dir, '5'));
    await writeFile(join(logs.dir, '5/a.log'), 'one\n');
    symlinkSync('5', join(logs.dir, 'current'));
    expect(await logs.look()).toEqual(['one']);
    await writeFile(join(roots, '0.log'), 'two\n');
    symlinkSync(join(roots, '0.log'), join(roots, 'link'));
    symlinkSync(join(roots, 'link'), join(logs.dir, '5/pod.log'));
    expect(await logs.look()).toEqual(['two']);
    expect(logs.said).not.toContain(REFUSED);
  });

  it('is refused where a folder on its way leads out', async () => {
    const logs = await startFollowing('*/x.log');
    const outside = join(dirname(logs.dir), 'outside');
    mkdirSync(outside);
    await writeFile(join(outside, 'x.log'), 'secret\n');
    symlinkSync(outside, join(logs.dir, 'app'));
    symlinkSync('../outside/../outside', join(logs.dir, 'dots'));
    expect(await logs.look()).toEqual([]);
    expect(logs.follower.refused).toBe(2);
  });

  it('that takes the place of a file is not opened, also after the check', async () => {
    const logs = await startFollowing('*.log');
    const secret = await secretBeside(logs);
    expect(await logs.add('a.log', 'one\n')).toEqual(['one']);
    logs.follower.reopen();
    const { lookOnce } = logs;
    rmSync(join(logs.dir, 'a.log'));
    symlinkSync(secret, join(logs.dir, 'a.log'));
    expect(await lookOnce()).toEqual([]);
    expect(await logs.look()).toEqual([]);
    // The check of the open file alone.
    await expect(openSafely(join(logs.dir, 'a.log'), { linkRoots: () => [logs.dir] })).rejects.toMatchObject({
      code: 'link_leads_outside',
    });
  });

  it('that turns in a circle ends', async () => {
    const logs = await startFollowing('*.log');
    symlinkSync('b.log', join(logs.dir, 'a.log'));
    symlinkSync('a.log', join(logs.dir, 'b.log'));
    expect(await logs.look()).toEqual([]);
    await expect(openSafely(join(logs.dir, 'a.log'))).rejects.toMatchObject({ code: 'changed_meanwhile' });
  });
});

describe.runIf(isRoot)('a link of an application', () => {
  it('leads an agent of root only to files of the application', async () => {
    const logs = await startFollowing('*.log');
    for (const [name, uid] of [['roots', 0] as const, ['own', NOBODY] as const]) {
      await writeFile(join(logs.dir, name), `${name}\n`);
      chownSync(join(logs.dir, name), uid, uid);
      symlinkSync(name, join(logs.dir, `${name}.log`));
      lchownSync(join(logs.dir, `${name}.log`), NOBODY, NOBODY);
    }
    expect(await logs.look()).toEqual(['own']);
    expect(logs.follower.refused).toBe(1);
  });

  it('does not move the followed folder to one of root', async () => {
    const logs = await startFollowing('app/*.log');
    mkdirSync(join(logs.dir, 'roots'));
    await writeFile(join(logs.dir, 'roots/a.log'), 'secret\n');
    symlinkSync('roots', join(logs.dir, 'app'));
    lchownSync(join(logs.dir, 'app'), NOBODY, NOBODY);
    expect(await logs.look()).toEqual([]);
    lchownSync(join(logs.dir, 'app'), 0, 0);
    await logs.restart();
    expect(await logs.look()).toEqual(['secret']);
  });

  it('by another name of the same file is refused where others may add names', async () => {
    const logs = await startFollowing('*/*.log');
    const secret = await secretBeside(logs);
    for (const [folder, uid, mode] of [
      ['app', NOBODY, 0o755],
      ['open', 0, 0o777],
      ['roots', 0, 0o755],
    ] as const) {
      mkdirSync(join(logs.dir, folder));
      chownSync(join(logs.dir, folder), uid, uid);
      chmodSync(join(logs.dir, folder), mode);
      linkSync(secret, join(logs.dir, folder, 'x.log'));
    }
    expect(await logs.look()).toEqual(['secret']);
    expect(logs.follower.refused).toBe(2);
  });

  it('is judged alike by an agent that is not root', async () => {
    const logs = await startFollowing('*.log');
    for (const folder of [dirname(logs.dir), logs.dir]) chownSync(folder, NOBODY, NOBODY);
    const readable = await secretBeside(logs);
    await asNobody(async () => {
      symlinkSync(readable, join(logs.dir, 'evil.log'));
      await writeFile(join(logs.dir, 'own'), 'own\n');
      symlinkSync('own', join(logs.dir, 'own.log'));
      expect(await logs.look()).toEqual(['own']);
      expect(logs.follower.refused).toBe(1);
    });
  });
});

describe('a pipe among the followed files', () => {
  it('does not block, also in place of a file', async () => {
    const logs = await startFollowing('*.log');
    execFileSync('mkfifo', [join(logs.dir, 'pipe.log')]);
    expect(await logs.add('a.log', 'one\n')).toEqual(['one']);
    logs.follower.reopen();
    renameSync(join(logs.dir, 'pipe.log'), join(logs.dir, 'a.log'));
    expect(await logs.look()).toEqual([]);
    expect(logs.follower.refused).toBe(1);
    await expect(openSafely(join(logs.dir, 'a.log'))).rejects.toMatchObject({ code: 'no_regular_file' });
  });
});

describe('a link that is swapped all the time', () => {
  it('never leads to the content of the other file', async () => {
    const dir = await temporaryFolder();
    const [own, secret] = [join(dir, 'logs'), join(dir, 'elsewhere')];
    for (const folder of [own, secret]) mkdirSync(folder);
    await writeFile(join(own, 'x'), 'own');
    await writeFile(join(secret, 'x'), 'secret');
    await appendFile(join(own, 'x'), '');
    let isOut = false;
    const swap = () => {
      isOut = !isOut;
      symlinkSync(isOut ? secret : own, join(dir, 'next'));
      renameSync(join(dir, 'next'), join(dir, 'folder'));
    };
    swap();
    const timer = setInterval(swap, 0);
    onTestFinished(() => clearInterval(timer));
    const read = new Set<string>();
    for (let i = 0; i < 300; i += 1) {
      const opened = openSafely(join(dir, 'folder/x'), { linkRoots: () => [own] });
      swap();
      const file = await opened.catch(() => undefined);
      if (file === undefined) continue;
      read.add(await file.readFile('utf8'));
      await file.close();
    }
    expect([...read]).toEqual(['own']);
  });
});
