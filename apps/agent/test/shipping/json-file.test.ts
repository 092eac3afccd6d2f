// Tests logs of containers as Docker's driver json-file writes them.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { type Checkpoint, UNREAD } from '../../src/follow/checkpoint.ts';
import type { Entry } from '../../src/follow/entry-joiner.ts';
import { FileGate } from '../../src/follow/file-gate.ts';
import { FollowedFile } from '../../src/follow/followed-file.ts';
import { StoredOutputDecoder } from '../../src/follow/stored-output.ts';
import { createLog } from '../../src/log.ts';
import { startFakeConsole } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';
import { batches, eventually, ship } from './running-shipper.ts';

const TIME = '2026-03-01T10:00:00.123456789Z';
const TIME_S = Date.parse(TIME.replace(/\d{6}Z/, 'Z')) / 1000 - 0.123;

const object = (log: string, stream = 'stdout', time = TIME) => `${JSON.stringify({ log, stream, time })}\n`;

/** Decodes whole lines of a file. */
function decode(...lines: string[]) {
  const decoder = new StoredOutputDecoder('json-file');
  const raw = lines.map((line, at) => ({
    bytes: Buffer.from(line.trimEnd()),
    lost: 0,
    end: at + 1,
    tail: Buffer.from(String(at)),
  }));
  const decoded = [...raw.flatMap((line) => decoder.add(line)), ...decoder.flush()];
  return decoded.map(({ bytes, end, lost, timeS }) => ({ text: bytes.toString(), end, lost, timeS }));
}

describe('the decoder', () => {
  it('returns text and time', () => {
    expect(decode(object('one\n'), object('two \r\n', 'stderr'))).toEqual([
      { text: 'one', end: 1, lost: 0, timeS: TIME_S },
      { text: 'two ', end: 2, lost: 0, timeS: TIME_S },
    ]);
  });

  it('joins the pieces of a long line, with the end of the last one', () => {
    expect(decode(object('one '), object('two '), object('three\n'), object('four\n'))).toMatchObject([
      { text: 'one two three', end: 3 },
      { text: 'four', end: 4 },
    ]);
  });

  it('joins pieces with a line of the other stream between them, all with the position behind the last one', () => {
    expect(decode(object('one '), object('error\n', 'stderr'), object('two\n'))).toMatchObject([
      { text: 'error', end: 3 },
      { text: 'one two', end: 3 },
    ]);
  });

  it('cuts an endless line and counts what is lost', () => {
    const [line] = decode(...Array.from({ length: 100 }, () => object('x'.repeat(16_384))));
    expect(line?.text).toHaveLength(16_448);
    expect(line?.lost).toBe(100 * 16_384 - 16_448);
  });

  it.each(['plain', '{"log":7}', '{"log":', 'null', '[]'])('returns a line of another form as it is: %s', (text) => {
    expect(decode(object('one '), text)).toMatchObject([{ text: 'one ' }, { text, timeS: undefined }]);
  });

  it('does without a time', () => {
    expect(decode(object('one\n', 'stdout', 'never'))).toMatchObject([{ text: 'one', timeS: undefined }]);
  });
});

/** Reads a file as a follower does, and stops after some entries, as a kill does. */
async function readSome(path: string, from: Checkpoint, most: number): Promise<{ texts: string[]; at: Checkpoint }> {
  const { dev, ino, size } = await stat(path, { bigint: true });
  const seen = { path, key: `${dev}:${ino}`, family: path, size: Number(size), mtimeMs: 0, isNamed: true };
  const file = new FollowedFile(seen, from, 'json-file');
  await file.open(
    new FileGate({ globs: [path], linkRoots: [], log: createLog({ write: () => undefined }, 'silent', false) }),
  );
  const texts: string[] = [];
  const take = (entries: readonly Entry[]): void => {
    let together: string[] = [];
    for (const entry of entries) {
      if (texts.length >= most) return;
      together.push(entry.text);
      if (entry.isBound) continue;
      texts.push(...together);
      together = [];
      file.commit(entry);
    }
    file.settle();
  };
  for (let entries = await file.read(); entries !== undefined && texts.length < most; entries = await file.read())
    take(entries);
  if (texts.length < most) take(file.flush(true));
  await file.close();
  return { texts, at: file.checkpoint };
}

it('loses and repeats nothing, wherever the agent is killed', async () => {
  const path = join(await temporaryFolder(), 'c-json.log');
  const output = fc.record({
    text: fc.constantFrom('plain', 'é'.repeat(9_000), '\u0007'.repeat(300), '', '  at x (y.js:1:1)', '{"msg":"m"}'),
    isWhole: fc.boolean(),
    isError: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(output, { maxLength: 12 }), fc.nat({ max: 12 }), async (outputs, kill) => {
      const content = outputs.map(({ text, isWhole, isError }, at) =>
        object(`${at} ${text}${isWhole ? '\n' : ''}`, isError ? 'stderr' : 'stdout'),
      );
      await writeFile(path, content.join(''));
      const whole = await readSome(path, UNREAD, Number.POSITIVE_INFINITY);
      const first = await readSome(path, UNREAD, kill);
      const second = await readSome(path, first.at, Number.POSITIVE_INFINITY);
      expect([...first.texts, ...second.texts]).toEqual(whole.texts);
      expect(second.at.offset).toBe(Buffer.byteLength(content.join('')));
    }),
    { numRuns: atMost(20, 60) },
  );
});

describe('a shipper of container logs', () => {
  it('sends the lines with the name of the container and the time of Docker', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await mkdir(join(dir, 'logs'));
    await writeFile(
      join(dir, 'logs', 'config.v2.json'),
      JSON.stringify({ Name: '/gateway', Config: { Env: ['A=b'] } }),
    );
    const agent = await ship(server, { dir, settings: { format: 'json-file' } });
    await agent.write(object('2026/11/20 09:00:00 [warn] 1#1: one\n') + object('{"msg":"two","service":"shop"}\n'));
    await agent.write(object('Error: three\n', 'stderr') + object('    at a (/a.js:1:1)\n', 'stderr'));
    await eventually(() => agent.shipper.state().lines).toBe(3);
    expect(batches(server).flatMap(({ body }) => body)).toMatchObject([
      { log: 'one', level: 5, service: 'gateway', log_time: TIME_S },
      { log: 'two', service: 'shop', log_time: TIME_S },
      { log: 'Error: three\n    at a (/a.js:1:1)', level: 4, service: 'gateway', log_time: TIME_S },
    ]);
  });

  it('sends a line of 16 KiB that Docker has escaped', async () => {
    const server = await startFakeConsole();
    const agent = await ship(server, { settings: { format: 'json-file' } });
    await agent.write(object(`${'"\t'.repeat(8_000)}end\n`));
    await eventually(() => agent.shipper.state().lines).toBe(1);
    const [line] = batches(server).flatMap(({ body }) => body) as { log: string }[];
    expect(line?.log.endsWith('"\tend')).toBe(true);
  });
});
