import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../src/api/batch.ts';
import { SYSTEM_DISK } from '../../src/files/disk.ts';
import { createLog } from '../../src/log.ts';
import { Spool } from '../../src/ship/spool.ts';
import { temporaryFolder } from '../temporary.ts';

const silent = createLog({ write: () => undefined }, 'silent', false);
const at = (offset: number) => ({
  globs: ['/logs/*'],
  files: [{ path: '/logs/a', key: '1:2', family: '/logs/a', size: offset, offset, head: 'YQ==', tail: 'Yg==' }],
});

function batchOf(...texts: string[]) {
  const batch = new Batch();
  for (const log of texts) batch.add({ line: { level: 4, log, log_time: 1 }, lacksTime: false, lacksLevel: false });
  return batch.seal();
}

async function open(dir: string, maxBytes = 1_000_000) {
  const { spool, positions, lost } = await Spool.open(join(dir, 'spool'), maxBytes, silent);
  return { spool, lost, offset: positions.files[0]?.offset };
}

const next = async (spool: Spool) => {
  const batch = await spool.first(true);
  if (batch === undefined || batch === 'damaged') return batch;
  return { key: batch.key, text: gunzipSync(batch.body).toString() };
};

describe('the spool', () => {
  it('keeps a batch that cannot be read for now', async () => {
    let failures = 2;
    const readSlowly = async (path: string) => {
      if (failures-- > 0) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return readFile(path);
    };
    const { spool } = await Spool.open(join(await temporaryFolder(), 'spool'), 1_000_000, silent, {
      ...SYSTEM_DISK,
      readFile: readSlowly,
    });
    await spool.put(batchOf('one'), at(1));
    await expect(spool.first(false)).rejects.toThrow('too many open files');
    expect(await spool.first(true)).toBe('damaged');
    expect(await spool.first(false)).toMatchObject({ lines: 1 });
  });

  it('returns batches in order, under their keys, across restarts, until they are removed', async () => {
    const dir = await temporaryFolder();
    const first = batchOf('one');
    const second = batchOf('two', 'three');
    const { spool, offset } = await open(dir);
    expect(offset).toBeUndefined();
    await spool.put(first, at(10));
    await spool.put(second, at(20));

    const again = await open(dir);
    expect(again.offset).toBe(20);
    expect(await next(again.spool)).toEqual({ key: first.key, text: '{"level":4,"log":"one","log_time":1}\n' });
    expect(await again.spool.removeFirst()).toBe(1);
    expect((await next(again.spool))?.valueOf()).toMatchObject({ key: second.key });

    const third = await open(dir);
    expect((await next(third.spool))?.valueOf()).toMatchObject({ key: second.key });
    expect(await third.spool.removeFirst()).toBe(2);
    expect(await next(third.spool)).toBeUndefined();
    expect(third.spool.bytes).toBe(0);
  });

  it('numbers batches without a gap across restarts, and carries each loss once', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    const numbersOf = async (of: Spool) => {
      const batch = await of.first(true);
      return batch === undefined || batch === 'damaged' ? undefined : batch.numbers;
    };
    await spool.put(batchOf('one', 'two'), at(10));
    const first = await numbersOf(spool);
    expect(first).toMatchObject({ number: 1, read: 2, dropped: { rotation: 0, spool_full: 0, skipped: 0 } });
    await spool.removeFirst();
    await spool.save(at(20));
    spool.lose('rotation');

    // Nothing was saved after the loss, so the files are read again, and it is found again.
    const second = await open(dir);
    expect(second.spool.hasLosses).toBe(false);
    second.spool.lose('rotation');
    second.spool.lose('spool_full');
    expect(second.spool.hasLosses).toBe(true);
    await second.spool.put(batchOf(), at(30));
    expect(second.spool.hasLosses).toBe(false);
    await second.spool.put(batchOf('three'), at(40));

    const third = await open(dir);
    const dropped = { rotation: 1, spool_full: 1, skipped: 0 };
    expect(await numbersOf(third.spool)).toEqual({ spool: first?.spool, number: 2, read: 2, dropped });
    await third.spool.removeFirst();
    expect(await numbersOf(third.spool)).toEqual({ spool: first?.spool, number: 3, read: 3, dropped });
  });

  it('keeps the positions in one file when every batch is removed', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    for (const offset of [10, 20, 30]) {
      await spool.put(batchOf('x'), at(offset));
      await spool.removeFirst();
    }
    expect(await readdir(join(dir, 'spool'))).toEqual(['000000000003.done']);
    expect((await open(dir)).offset).toBe(30);
    await spool.save(at(40));
    expect((await open(dir)).offset).toBe(40);
    expect(await readdir(join(dir, 'spool'))).toEqual(['000000000004.done']);
  });

  it('serializes concurrent changes', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    await Promise.all([spool.put(batchOf('one'), at(10)), spool.put(batchOf('two'), at(20)), spool.save(at(30))]);
    const again = await open(dir);
    expect(again.offset).toBe(30);
    expect([await again.spool.removeFirst(), await again.spool.removeFirst(), await again.spool.removeFirst()]).toEqual(
      [1, 1, 0],
    );
  });

  it('has room until it is full, and keeps batches added without room', async () => {
    const { spool } = await open(await temporaryFolder(), 100);
    expect(spool.hasRoom).toBe(true);
    await spool.put(batchOf('x'), at(1));
    expect(spool.hasRoom).toBe(false);
    await spool.removeFirst();
    expect(spool.hasRoom).toBe(true);
  });

  it('rejects a batch that is incomplete or changed', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    await spool.put(batchOf('one'), at(10));
    await spool.put(batchOf('two'), at(20));
    const path = join(dir, 'spool', '000000000002.batch');
    const content = await readFile(path);
    await writeFile(path, content.subarray(0, -1));
    await writeFile(`${path}.tmp`, 'half');
    const { spool: again, offset, lost } = await open(dir);
    expect(offset).toBe(10);
    expect(lost).toBe(0);
    await again.removeFirst();
    expect(await next(again)).toBeUndefined();
    expect((await readdir(join(dir, 'spool'))).sort()).toEqual(['000000000001.done', '000000000002.batch.damaged']);
  });

  it('rejects a batch with a changed byte in the middle, and returns the others', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    for (const [i, text] of ['one', 'two', 'three'].entries()) await spool.put(batchOf(text), at(i));
    const path = join(dir, 'spool', '000000000002.batch');
    const content = await readFile(path);
    const middle = content.indexOf('\n') + 15;
    content[middle] = (content[middle] ?? 0) ^ 1;
    await writeFile(path, content);
    expect(await next(spool)).toMatchObject({ text: expect.stringContaining('one') });
    await spool.removeFirst();
    expect(await next(spool)).toBe('damaged');

    const { spool: again, offset, lost } = await open(dir);
    expect([offset, lost]).toEqual([2, 1]);
    expect(await next(again)).toMatchObject({ text: expect.stringContaining('three') });
    expect(await readdir(join(dir, 'spool'))).toContain('000000000002.batch.damaged');
  });

  it('reports a batch that can no longer be read', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    await spool.put(batchOf('one', 'two'), at(10));
    await writeFile(join(dir, 'spool', '000000000001.batch'), '');
    expect(await next(spool)).toBe('damaged');
    expect(await spool.removeFirst()).toBe(2);
  });

  it('is readable for its owner only', async () => {
    const dir = await temporaryFolder();
    const { spool } = await open(dir);
    await spool.put(batchOf('one'), at(10));
    expect((await stat(join(dir, 'spool'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'spool', '000000000001.batch'))).mode & 0o777).toBe(0o600);
  });
});

describe('a batch', () => {
  it('holds 500 lines, or 1 MiB, or one line of any size', () => {
    const small = new Batch();
    const lineOf = (log: string) => ({ line: { level: 4, log, log_time: 1 }, lacksTime: false, lacksLevel: false });
    const line = lineOf('x');
    for (let i = 0; i < 500; i += 1) expect(small.add(line)).toBe(true);
    expect(small.add(line)).toBe(false);
    const large = new Batch();
    expect(large.add(lineOf('x'.repeat(2_000_000)))).toBe(true);
    expect(large.add(line)).toBe(false);
    const wide = new Batch();
    while (wide.add(lineOf('€'.repeat(1_000))));
    expect(gunzipSync(wide.seal().body).length).toBeLessThanOrEqual(1024 * 1024);
  });
});
