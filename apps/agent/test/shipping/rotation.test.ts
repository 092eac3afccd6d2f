import { describe, expect, it } from 'vitest';
import { startFollowing } from './following.ts';

describe('a file that is rotated by renaming', () => {
  it('is read to its end, then the new one', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\ntwo\n');
    expect(await logs.look()).toEqual(['one', 'two']);
    await logs.write('error.log', 'three\n');
    await logs.move('error.log', 'error.log.1');
    await logs.write('error.log.1', 'four\n');
    await logs.touch('error.log.1', -10);
    await logs.write('error.log', 'five\n');
    expect(await logs.look()).toEqual(['three', 'four', 'five']);
  });

  it('is read to its end when that happens while the agent is away, twice', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
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
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.move('error.log', 'error.log-20261121');
    await logs.write('error.log', 'two\n');
    await logs.look();
    await logs.restart();
    await logs.look();
    expect(logs.entries).toEqual(['one', 'two']);
  });

  it('is read to its end when it is deleted at once', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    logs.hasRoom = false;
    await logs.write('error.log', 'two\n');
    await logs.look();
    await logs.remove('error.log');
    logs.hasRoom = true;
    expect(await logs.look()).toEqual(['two']);
    expect(logs.follower.losses).toBe(0);
  });

  it('counts as lost when its end was deleted unread', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    logs.hasRoom = false;
    await logs.write('error.log', 'two\n');
    await logs.look();
    await logs.remove('error.log');
    await logs.restart();
    await logs.look();
    expect(logs.follower.losses).toBe(1);
    expect(logs.said).toContain('the last lines of a followed file were deleted before they were read');
  });
});

describe('a file that is copied and truncated', () => {
  it('is read to its end in the copy, then from its beginning', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.write('error.log', 'two\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'three\n');
    expect((await logs.look()).sort()).toEqual(['three', 'two']);
    expect(await logs.look()).toEqual([]);
  });

  it('is recognized beyond its old size, and when it happened while the agent was stopped', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.write('error.log', 'two\n');
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'this line is longer than all that was there before\n');
    await logs.restart();
    expect((await logs.look()).sort()).toEqual(['this line is longer than all that was there before', 'two']);
  });

  it('counts once while it is being copied, and where the glob names the copy too', async () => {
    const logs = await startFollowing('error.log*');
    await logs.write('error.log', 'one\ntwo\n');
    await logs.look();
    await logs.write('error.log.1', 'one\n');
    expect(await logs.look()).toEqual([]);
    await logs.write('error.log.1', 'two\n');
    expect(await logs.look()).toEqual([]);
    await logs.truncate('error.log');
    await logs.write('error.log', 'three\n');
    await logs.look();
    await logs.restart();
    await logs.look();
    expect(logs.entries).toEqual(['one', 'two', 'three']);
  });

  it('counts once where lines were written and read between the copy and the truncation', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\ntwo\n');
    await logs.look();
    await logs.copy('error.log', 'error.log.1');
    await logs.write('error.log', 'three\n');
    expect(await logs.look()).toEqual(['three']);
    await logs.truncate('error.log');
    expect(await logs.look()).toEqual([]);
  });

  it('is followed through two rotations while the agent is away', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
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
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', 'two\n');
    logs.hasRoom = true;
    expect((await logs.look()).sort()).toEqual(['one', 'two']);
  });

  it('is read from its beginning without a copy', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\ntwo\n');
    await logs.look();
    await logs.truncate('error.log');
    await logs.write('error.log', 'three\n');
    expect(await logs.look()).toEqual(['three']);
    expect(logs.follower.losses).toBe(0);
  });

  it('counts as lost when unread lines were cut off', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    logs.hasRoom = false;
    await logs.write('error.log', 'two\n');
    await logs.look();
    await logs.truncate('error.log');
    logs.hasRoom = true;
    await logs.look();
    expect(logs.follower.losses).toBe(1);
    expect(logs.said).toContain('the last lines of a followed file were deleted before they were read');
  });

  it('is read from its beginning when the new content is as long as the old', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.truncate('error.log');
    await logs.write('error.log', 'two\n');
    await logs.touch('error.log', 10);
    expect(await logs.look()).toEqual(['two']);
  });

  it('is read from its beginning when the new content begins as the old one did, and is longer', async () => {
    const logs = await startFollowing('error.log');
    const banner = `# ${'-'.repeat(300)}\n`;
    await logs.write('error.log', `${banner}one\n`);
    await logs.look();
    await logs.truncate('error.log');
    await logs.write('error.log', `${banner}two and more than before\nthree\n`);
    expect(await logs.look()).toEqual([banner.trimEnd(), 'two and more than before', 'three']);
  });

  it('is read from its beginning when the new content has the same text before the checkpoint', async () => {
    const logs = await startFollowing('error.log');
    const same = `${'='.repeat(80)}\n`;
    await logs.write('error.log', `one\n${same}`);
    await logs.look();
    await logs.truncate('error.log');
    await logs.write('error.log', `two\n${same}three\n`);
    expect(await logs.look()).toEqual(['two', same.trimEnd(), 'three']);
  });

  it('loses the NUL bytes that a program without append mode leaves before its text', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.copyTruncate('error.log', 'error.log.1');
    await logs.write('error.log', Buffer.concat([Buffer.alloc(100_000), Buffer.from('two\n')]));
    expect(await logs.look()).toEqual(['two']);
  });
});

describe('a file under another inode', () => {
  const renumber = (saved: string) =>
    saved.replace(/"key":"(\d+):(\d+)"/g, (_, dev: string, ino: string) => `"key":"${Number(dev) + 1}:${ino}"`);

  it('continues when the disk has another device number after a boot', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.write('error.log', 'two\n');
    await logs.restart(renumber);
    expect(await logs.look()).toEqual(['two']);
  });

  it('continues when an editor has rewritten it', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one\n');
    await logs.look();
    await logs.copy('error.log', 'draft');
    await logs.move('draft', 'error.log');
    await logs.write('error.log', 'two\n');
    expect(await logs.look()).toEqual(['two']);
  });
});

describe('the globs', () => {
  it('skip files rotated away before the first poll, and find new files', async () => {
    const logs = await startFollowing('*.log', 'deep/**/*.txt');
    await logs.write('a.log', 'one\n');
    await logs.write('a.log.1', 'old\n');
    await logs.write('a.log.2.gz', 'packed\n');
    await logs.write('other', 'not followed\n');
    expect(await logs.look()).toEqual(['one']);
    await logs.write('b.log', 'two\n');
    await logs.write('a.log.1', 'late\n');
    expect((await logs.look()).sort()).toEqual(['late', 'two']);
    expect(logs.follower.count).toBe(2);
  });

  it('reopen files on request, without reading anything twice', async () => {
    const logs = await startFollowing('*.log');
    await logs.write('a.log', 'one\ntwo');
    await logs.look();
    logs.follower.reopen();
    await logs.write('a.log', ' and a half\nthree\n');
    expect(await logs.look()).toEqual(['two and a half', 'three']);
  });
});
