// Tests files that fill several batches, and batches that are damaged on the disk.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Reply, startFakeConsole, success } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';
import { batches, eventually, type RunningShipper, ship, shipTo, textsOf } from './running-shipper.ts';

const numbered = (count: number, text = 'error'): string[] => Array.from({ length: count }, (_, i) => `${i} ${text}`);

/** Inverts the bits of the byte in the middle of a file. */
async function damage(path: string): Promise<void> {
  const content = await readFile(path);
  const middle = content.length >> 1;
  content[middle] = 0xff - (content[middle] ?? 0);
  await writeFile(path, content);
}

/** Reads the number of lines of a spool file, and the position in its file after them. */
async function headOf(path: string): Promise<{ readonly lines: number; readonly offset: number | undefined }> {
  const content = await readFile(path);
  const { lines, positions } = JSON.parse(content.toString('utf8', 0, content.indexOf('\n')));
  return { lines, offset: positions.files[0]?.offset };
}

/** Reads the files of the spool that have no batch: those with positions alone. */
async function savedIn({ dir }: RunningShipper): Promise<string> {
  const spool = join(dir, 'agent', 'spool');
  const names = (await readdir(spool)).filter((name) => name.endsWith('.done'));
  return (await Promise.all(names.map((name) => readFile(join(spool, name), 'utf8').catch(() => '')))).join('\n');
}

/** Waits until this many batches are on the disk. */
const untilSpooled = (agent: RunningShipper, count: number) =>
  eventually(async () => (await agent.spooled()).length).toBe(count);

describe('a file that fills several batches', () => {
  it.each([
    ['500 lines', numbered(1_201), 500],
    // Quotes take twice their bytes in JSON: a poll reads 1 MiB of the file, which is more than a batch holds.
    ['1 MiB', numbered(300, '"'.repeat(8_000)), 65],
  ])('is sent whole and in order, %s in a batch', async (_, lines, most) => {
    const { server, agent } = await shipTo();
    await agent.write(`${lines.join('\n')}\n`);
    await eventually(() => agent.shipper.state().lines).toBe(lines.length);
    const sent = textsOf(server);
    expect(sent.flat()).toEqual(lines);
    expect(Math.max(...sent.map(({ length }) => length))).toBe(most);
  });

  it('continues after the last batch on the disk after a crash', async () => {
    const server = await startFakeConsole();
    server.goDown();
    const lines = numbered(1_201);
    const first = await ship(server);
    await first.write(`${lines.join('\n')}\n`);
    await eventually(() => first.said('cannot send lines')).toBe(true);
    await eventually(async () => {
      const heads = await Promise.all((await first.spooled()).map(headOf));
      return heads.reduce((sum, head) => sum + head.lines, 0);
    }).toBe(lines.length);
    await first.end();
    const spooled = await first.spooled();
    let before = 0;
    for (const path of spooled) {
      const head = await headOf(path);
      before += head.lines;
      expect(head.offset).toBe(Buffer.byteLength(`${lines.slice(0, before).join('\n')}\n`));
    }
    // A crash before the second write leaves only the first batch.
    for (const path of spooled.slice(1)) await rm(path);
    server.comeBack();
    const second = await ship(server, { dir: first.dir });
    await eventually(() => second.shipper.state().lines).toBe(lines.length);
    expect(textsOf(server).flat()).toEqual(lines);
  });
});

describe('a full disk', () => {
  it('delays lines, and loses none', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    // The first batch may have any number.
    const obstacles = Array.from({ length: 9 }, (_, i) => join(dir, 'agent', 'spool', `00000000000${i + 1}.batch.tmp`));
    const agent = await ship(server, { dir });
    for (const obstacle of obstacles) await mkdir(join(obstacle, 'in the way'), { recursive: true });
    await agent.write('one\n');
    await eventually(() => agent.said('cannot write lines to the disk')).toBe(true);
    await agent.write('two\n');
    for (const obstacle of obstacles) await rm(obstacle, { recursive: true });
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 2, lines_dropped: 0 });
    expect(textsOf(server).flat()).toEqual(['one', 'two']);
    expect(agent.said('lines can be written to the disk again')).toBe(true);
  });
});

describe('a file without lines', () => {
  it('is recognized at the next start, also after a rotation', async () => {
    const server = await startFakeConsole();
    const first = await ship(server);
    await first.write('');
    await eventually(() => savedIn(first)).toContain('a.log');
    await first.end();
    await first.write('one\n');
    await rename(join(first.dir, 'logs', 'a.log'), join(first.dir, 'logs', 'a.log.1'));
    const second = await ship(server, { dir: first.dir });
    await eventually(() => second.shipper.state().lines).toBe(1);
    expect(textsOf(server)).toEqual([['one']]);
  });
});

describe('a batch that was changed on the disk', () => {
  it('is reported as lost, and the next one is sent', async () => {
    const server = await startFakeConsole();
    const answer = Promise.withResolvers<Reply>();
    server.next.push(answer.promise);
    const agent = await ship(server);
    for (const [count, text] of [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ] as const) {
      await agent.write(`${text}\n`);
      await untilSpooled(agent, count);
    }
    const [, second = ''] = await agent.spooled();
    await damage(second);
    answer.resolve(success({ accepted: 1, refused: [] }));
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 2, lines_dropped: 1, bytes_waiting: 0 });
    expect(textsOf(server)).toEqual([['one'], ['three']]);
    expect(agent.said('cannot read a batch on the disk; its lines are lost')).toBe(true);
  });

  it('is followed by an empty one where no later one would show its loss', async () => {
    const server = await startFakeConsole();
    const answer = Promise.withResolvers<Reply>();
    server.next.push(answer.promise);
    const agent = await ship(server);
    await agent.write('one\n');
    await untilSpooled(agent, 1);
    await agent.write('two\n');
    await untilSpooled(agent, 2);
    const [, second = ''] = await agent.spooled();
    await damage(second);
    answer.resolve(success({ accepted: 1, refused: [] }));
    await eventually(() => batches(server).length).toBe(2);
    expect(textsOf(server)).toEqual([['one'], []]);
    expect(batches(server).map(({ numbers }) => numbers)).toMatchObject([
      { number: 1, read: 1 },
      { number: 3, read: 2 },
    ]);
  });

  it('is reported as lost at the next start, where later ones are whole', async () => {
    const server = await startFakeConsole();
    const first = await ship(server, { isEnrolled: () => false });
    for (const [count, text] of [
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      await first.write(`${text}\n`);
      await untilSpooled(first, count);
    }
    await first.end();
    const [damaged = ''] = await first.spooled();
    await damage(damaged);
    const second = await ship(server, { dir: first.dir });
    await eventually(() => second.shipper.state()).toMatchObject({ lines: 1, lines_dropped: 1, bytes_waiting: 0 });
    expect(textsOf(server)).toEqual([['two']]);
    expect(second.said('moved aside, its lines are lost')).toBe(true);
  });
});
