import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FollowedFile } from '../../src/follow/followed-file.ts';
import { startAfter, startFollowing } from './following.ts';

/** Runs `change` between the moments when the next poll takes the sizes and when it compares the content. */
function duringNextCheck(change: () => Promise<void>): void {
  const { isUnchanged } = FollowedFile.prototype;
  const spy = vi.spyOn(FollowedFile.prototype, 'isUnchanged').mockImplementationOnce(async function (
    this: FollowedFile,
  ) {
    await change();
    return isUnchanged.call(this);
  });
  onTestFinished(() => spy.mockRestore());
}

describe('a file that is rotated by renaming', () => {
  it('is read to its end, then the new one', async () => {
    const logs = await startFollowing('error.log');
    expect(await logs.add('error.log', 'one\ntwo\n')).toEqual(['one', 'two']);
    await logs.write('error.log', 'three\n');
    await logs.move('error.log', 'error.log.1');
    await logs.write('error.log.1', 'four\n');
    await logs.touch('error.log.1', -10);
    expect(await logs.add('error.log', 'five\n')).toEqual(['three', 'four', 'five']);
  });

  it('is read to its end when that happens while the agent is away, twice', async () => {
    const logs = await startAfter('one\n');
    await logs.write('error.log', 'two\n');
    await logs.move('error.log', 'error.log.2');
    await logs.write('error.log.1', 'three\n');
    await logs.write('error.log', 'four\n');
    await logs.restart();
    expect((await logs.look()).sort()).toEqual(['four', 'three', 'two']);
    expect(await logs.look()).toEqual([]);
  });

  it('counts once where the glob names the rotated ones too', async () => {
    const logs = await startFollowing('error.log*');
    await logs.add('error.log', 'one\n');
    await logs.move('error.log', 'error.log-20261121');
    await logs.add('error.log', 'two\n');
    await logs.restart();
    await logs.look();
    expect(logs.entries).toEqual(['one', 'two']);
  });

  it('is read to its end when it is deleted at once', async () => {
    const logs = await startAfter('one\n');
    logs.hasRoom = false;
    await logs.add('error.log', 'two\n');
    await logs.remove('error.log');
    logs.hasRoom = true;
    expect(await logs.look()).toEqual(['two']);
    expect(logs.follower.losses).toBe(0);
  });

  it('counts as lost when its end was deleted unread', async () => {
    const logs = await startAfter('one\n');
    logs.hasRoom = false;
    await logs.add('error.log', 'two\n');
    await logs.remove('error.log');
    await logs.restart();
    await logs.look();
    expect(logs.follower.losses).toBe(1);
    expect(logs.said).toContain('the last lines of a followed file were deleted before they were read');
  });
});

describe('a file that is copied and truncated', () => {
  it('is read to its end in the copy, then from its beginning', async () => {
    const logs = await startAfter('one\n');
    await logs.write('error.log', 'two\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'three\n');
    expect((await logs.look()).sort()).toEqual(['three', 'two']);
    expect(await logs.look()).toEqual([]);
  });

  it('is recognized beyond its old size, and when it happened while the agent was stopped', async () => {
    const logs = await startAfter('one\n');
    await logs.write('error.log', 'two\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'this line is longer than all that was there before\n');
    await logs.restart();
    expect((await logs.look()).sort()).toEqual(['this line is longer than all that was there before', 'two']);
  });

  it('counts once while it is being copied, and where the glob names the copy too', async () => {
    const logs = await startFollowing('error.log*');
    await logs.add('error.log', 'one\ntwo\n');
    expect(await logs.add('error.log.1', 'one\n')).toEqual([]);
    expect(await logs.add('error.log.1', 'two\n')).toEqual([]);
    await logs.truncate('error.log');
    await logs.add('error.log', 'three\n');
    await logs.restart();
    await logs.look();
    expect(logs.entries).toEqual(['one', 'two', 'three']);
  });

  it('counts once where lines were written and read between the copy and the truncation', async () => {
    const logs = await startFollowing('error.log');
    await logs.add('error.log', 'one\ntwo\n');
    await logs.copy('error.log', 'error.log.1');
    expect(await logs.add('error.log', 'three\n')).toEqual(['three']);
    await logs.truncate('error.log');
    expect(await logs.look()).toEqual([]);
  });

  it('is followed through two rotations while the agent is away', async () => {
    const logs = await startAfter('one\n');
    await logs.write('error.log', 'two\n');
    await logs.copyTruncate('error.log', 'error.log.2');
    await logs.write('error.log', 'three\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'four\n');
    await logs.restart();
    expect((await logs.look()).sort()).toEqual(['four', 'three', 'two']);
  });

  it('is followed where it was read only in part', async () => {
    const logs = await startFollowing('error.log');
    logs.hasRoom = false;
    await logs.add('error.log', 'one\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'two\n');
    logs.hasRoom = true;
    expect((await logs.look()).sort()).toEqual(['one', 'two']);
  });

  it('is read from its beginning without a copy', async () => {
    const logs = await startFollowing('error.log');
    await logs.add('error.log', 'one\ntwo\n');
    await logs.truncate('error.log');
    expect(await logs.add('error.log', 'three\n')).toEqual(['three']);
    expect(logs.follower.losses).toBe(0);
  });

  it('counts as lost when unread lines were cut off', async () => {
    const logs = await startAfter('one\n');
    logs.hasRoom = false;
    await logs.add('error.log', 'two\n');
    await logs.truncate('error.log');
    logs.hasRoom = true;
    await logs.look();
    expect(logs.follower.losses).toBe(1);
    expect(logs.said).toContain('the last lines of a followed file were deleted before they were read');
  });

  describe.each([
    ['between two polls', 'poll'],
    ['after the poll that first saw them', 'isUnchanged'],
    ['in the poll after', 'isUnchanged after'],
  ] as const)('whose unread lines were cut off %s', (_, when) => {
    it.each([
      ['to nothing', ''],
      ['and written again, shorter', 'x\n'],
    ])('counts as lost once, when it was cut %s', async (_cut, text) => {
      const logs = await startFollowing('error.log');
      await logs.write('error.log', 'one\n');
      await logs.look();
      logs.hasRoom = false;
      await logs.write('error.log', 'two\n');
      const cut = async () => {
        await logs.truncate('error.log');
        await logs.write('error.log', text);
      };
      if (when !== 'isUnchanged') await logs.look();
      if (when === 'poll') await cut();
      else duringNextCheck(cut);
      logs.hasRoom = true;
      await logs.write('error.log', when === 'isUnchanged after' ? 'three\n' : '');
      expect(await logs.look()).toEqual(text === '' ? [] : ['x']);
      await logs.look();
      expect(logs.follower.losses).toBe(1);
    });
  });

  it('counts as lost when none of it was read', async () => {
    const logs = await startFollowing('error.log');
    logs.hasRoom = false;
    await logs.add('error.log', 'one\n');
    await logs.truncate('error.log');
    await logs.look();
    expect(logs.follower.losses).toBe(1);
  });

  it('is not lost when none of it was read, but a copy has it', async () => {
    const logs = await startFollowing('error.log');
    logs.hasRoom = false;
    await logs.add('error.log', 'one\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    logs.hasRoom = true;
    expect(await logs.look()).toEqual(['one']);
    expect(logs.follower.losses).toBe(0);
  });

  it('counts lines as lost that were cut off behind those that stay', async () => {
    const logs = await startAfter('one\n');
    logs.hasRoom = false;
    await logs.add('error.log', 'two\nthree\n');
    await truncate(join(logs.dir, 'error.log'), 'one\ntwo\n'.length);
    logs.hasRoom = true;
    expect(await logs.look()).toEqual(['two']);
    expect(logs.follower.losses).toBe(1);
  });

  it('is read from its beginning when the new content is as long as the old', async () => {
    const logs = await startAfter('one\n');
    await logs.truncate('error.log');
    await logs.write('error.log', 'two\n');
    await logs.touch('error.log', 10);
    expect(await logs.look()).toEqual(['two']);
  });

  it('is read from its beginning when the new content begins as the old one did, and is longer', async () => {
    const logs = await startFollowing('error.log');
    const banner = `# ${'-'.repeat(300)}\n`;
    await logs.add('error.log', `${banner}one\n`);
    await logs.truncate('error.log');
    expect(await logs.add('error.log', `${banner}two and more than before\nthree\n`)).toEqual([
      banner.trimEnd(),
      'two and more than before',
      'three',
    ]);
  });

  it('is read from its beginning when the new content has the same text before the checkpoint', async () => {
    const logs = await startFollowing('error.log');
    const same = `${'='.repeat(80)}\n`;
    await logs.add('error.log', `one\n${same}`);
    await logs.truncate('error.log');
    expect(await logs.add('error.log', `two\n${same}three\n`)).toEqual(['two', same.trimEnd(), 'three']);
  });

  it('loses the NUL bytes that a program without append mode leaves before its text', async () => {
    const logs = await startAfter('one\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    expect(await logs.add('error.log', Buffer.concat([Buffer.alloc(100_000), Buffer.from('two\n')]))).toEqual(['two']);
  });
});

describe('a file under another inode', () => {
  const renumber = (saved: string) =>
    saved.replace(/"key":"(\d+):(\d+)"/g, (_, dev: string, ino: string) => `"key":"${Number(dev) + 1}:${ino}"`);

  it('continues when the disk has another device number after a boot', async () => {
    const logs = await startAfter('one\n');
    await logs.write('error.log', 'two\n');
    await logs.restart(renumber);
    expect(await logs.look()).toEqual(['two']);
  });

  it('continues when an editor has rewritten it', async () => {
    const logs = await startAfter('one\n');
    await logs.copy('error.log', 'draft');
    await logs.move('draft', 'error.log');
    expect(await logs.add('error.log', 'two\n')).toEqual(['two']);
  });
});

describe('the globs', () => {
  it('skip files rotated away before the first poll, and find new files', async () => {
    const logs = await startFollowing('*.log', 'deep/**/*.txt');
    await logs.write('a.log', 'one\n');
    await logs.write('a.log.1', 'old\n');
    await logs.write('a.log.2.gz', 'packed\n');
    expect(await logs.add('other', 'not followed\n')).toEqual(['one']);
    await logs.write('b.log', 'two\n');
    await logs.write('a.log.1', 'late\n');
    expect((await logs.look()).sort()).toEqual(['late', 'two']);
    expect(logs.follower.count).toBe(2);
  });

  it('reopen files on request, without reading anything twice', async () => {
    const logs = await startFollowing('*.log');
    await logs.add('a.log', 'one\ntwo');
    logs.follower.reopen();
    expect(await logs.add('a.log', ' and a half\nthree\n')).toEqual(['two and a half', 'three']);
  });
});
