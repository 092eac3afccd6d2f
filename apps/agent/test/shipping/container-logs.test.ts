// Tests the output of containers as an input, with an engine on a real socket.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ContainerLog, type OutputPosition } from '../../src/follow/container-log.ts';
import { ContainerLogs } from '../../src/follow/container-logs.ts';
import type { WireLine } from '../../src/lines/wire-line.ts';
import { createLog } from '../../src/log.ts';
import { startFakeConsole } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';
import { type FakeEngine, frame, startFakeEngine } from './fake-engine.ts';
import { batches, eventually, ship, textsOf } from './running-shipper.ts';

const TIME = '2026-03-01T10:00:00.123456789Z';
const TIME_S = Date.parse('2026-03-01T10:00:00Z') / 1000;
const at = (nanos: number): string => `2026-03-01T10:00:00.${String(nanos).padStart(9, '0')}Z`;
const positionAt = (nanos: number, lines: number): OutputPosition => ({
  time: `00${TIME_S}.${String(nanos).padStart(9, '0')}`,
  lines,
});

/** Reads frames in chunks of some bytes. */
function read(
  bytes: Buffer,
  { start, tty = false, size = 65_536 }: { start?: OutputPosition | undefined; tty?: boolean; size?: number } = {},
) {
  const errors: string[] = [];
  const log = new ContainerLog(start, tty, (text) => void errors.push(text));
  const read = [];
  for (let from = 0; from < bytes.length; from += size) read.push(...log.push(bytes.subarray(from, from + size)));
  read.push(...log.flush(true));
  const entries = read.flatMap(({ entry }) => entry ?? []);
  return {
    texts: entries.map(({ text }) => text),
    entries,
    last: read.at(-1)?.position,
    errors,
    isGone: read.some(({ isAfterLoss }) => isAfterLoss),
  };
}

const frames = (...lines: readonly [nanos: number, text: string, stream?: number][]): Buffer =>
  Buffer.concat(lines.map(([nanos, text, stream = 1]) => frame(stream, `${at(nanos)} ${text}`)));

describe('the output of a container', () => {
  it('has text and time, however the frames are cut', () => {
    const bytes = frames([1, 'one\n'], [2, 'two \r\n', 2], [3, '\n'], [4, 'é\n']);
    for (const size of [1, 7, 8, 9, 50, 65_536]) {
      const { texts, entries, last } = read(bytes, { size });
      expect(texts).toEqual(['one', 'two', 'é']);
      expect(entries.map(({ timeS }) => timeS)).toEqual([TIME_S, TIME_S, TIME_S]);
      expect(last).toEqual(positionAt(4, 1));
    }
  });

  it('has lines without frames where the container has a terminal', () => {
    const { texts, last } = read(Buffer.from(`${at(1)} one\r\n${at(2)} two\n${at(2)} three`), { tty: true, size: 10 });
    expect(texts).toEqual(['one', 'two', 'three']);
    expect(last).toEqual(positionAt(2, 2));
  });

  it('joins the pieces of a long line', () => {
    expect(read(frames([1, 'one '], [1, 'two '], [1, 'three\n'], [2, 'four\n']))).toMatchObject({
      texts: ['one two three', 'four'],
      last: positionAt(2, 1),
    });
  });

  it('does not hold a piece across a line of the other stream', () => {
    expect(read(frames([1, 'one '], [2, 'error\n', 2], [3, 'two\n'])).texts).toEqual(['one', 'error', 'two']);
  });

  it('joins a stack trace and keeps its position before it is whole', () => {
    const bytes = frames([1, 'Error: no\n'], [2, '    at a (b.js:1:2)\n'], [3, 'next\n']);
    const log = new ContainerLog(undefined, false, () => undefined);
    expect(log.push(bytes)).toMatchObject([
      { entry: { text: 'Error: no\n    at a (b.js:1:2)', isTrace: true }, position: positionAt(2, 1) },
    ]);
    expect(log.isHolding).toBe(true);
    expect(log.flush(false)).toMatchObject([{ entry: { text: 'next' }, position: positionAt(3, 1) }]);
  });

  it.each([1, 2, 3, 5, 8])('continues behind %i lines, of which some have one time and some go back', (count) => {
    const lines = [5, 5, 3, 5, 7, 6, 7, 7, 8, 2].map((nanos, n) => [nanos, `line ${n}\n`, 1 + (n % 2)] as const);
    const all = lines.map(([, text]) => text.trim());
    const { last } = read(frames(...lines.slice(0, count).map(([...line]) => line as [number, string, number])));
    const rest = read(frames(...lines.map(([...line]) => line as [number, string, number])), { start: last });
    expect(rest.texts).toEqual(all.slice(count));
    expect(rest.isGone).toBe(false);
  });

  it('tells where the engine no longer has the last line', () => {
    expect(read(frames([1, 'old\n'], [9, 'new\n']), { start: positionAt(5, 3) })).toMatchObject({
      texts: ['new'],
      isGone: true,
    });
    expect(read(frames([1, 'old\n']), { start: positionAt(5, 3) }).isGone).toBe(false);
    // The engine has deleted some of the lines with that time.
    expect(read(frames([5, 'old\n'], [9, 'new\n']), { start: positionAt(5, 3) })).toMatchObject({ texts: ['new'] });
  });

  it('tells of a loss once, with the position behind it', () => {
    const log = new ContainerLog(positionAt(5, 1), false, () => undefined);
    expect(log.push(frames([8, 'held\n']))).toEqual([]);
    expect(log.push(frames([9, 'next\n']))).toMatchObject([{ position: positionAt(8, 1), isAfterLoss: true }]);
    expect(log.flush(false)).toMatchObject([{ position: positionAt(9, 1), isAfterLoss: false }]);
  });

  it('is bounded: a huge frame, an endless line, bytes that are no text, a missing time', () => {
    const [huge] = read(frames([1, `${'x'.repeat(3_000_000)}\n`])).entries;
    expect(huge?.text.length).toBeLessThan(17_000);
    const pieces = Array.from({ length: 300 }, (): [number, string] => [1, 'x'.repeat(16_384)]);
    expect(read(frames(...pieces, [1, '\n'])).entries.map(({ text }) => text.length < 17_000)).toEqual([true]);
    const odd = frame(1, Buffer.concat([Buffer.from(`${TIME} a`), Buffer.from([0xff, 0xfe]), Buffer.from('b\n')]));
    expect(read(odd).texts).toEqual(['a\ufffd\ufffdb']);
    expect(read(frame(1, 'no time\n')).texts).toEqual(['no time']);
    expect(read(Buffer.concat([frame(1, ''), frames([1, 'after an empty one\n'])])).texts).toEqual([
      'after an empty one',
    ]);
  });

  it('is no stream with a damaged frame', () => {
    expect(() => read(frame(9, 'x'))).toThrow('a frame is damaged');
    expect(() => read(Buffer.from('{"message":"no"}'))).toThrow('a frame is damaged');
  });

  it('tells errors of the engine apart', () => {
    expect(read(Buffer.concat([frame(3, 'broken log'), frames([1, 'one\n'])]))).toMatchObject({
      texts: ['one'],
      errors: ['broken log'],
    });
  });
});

const linesOf = (server: Parameters<typeof batches>[0]) => batches(server).flatMap(({ body }) => body as WireLine[]);

async function world() {
  return { server: await startFakeConsole(), engine: await startFakeEngine(), dir: await temporaryFolder() };
}

const isFollowed = (engine: FakeEngine, count = 1) => eventually(() => engine.followers).toBe(count);

describe('containers behind a socket', () => {
  it('are read from the first look on, with their name and time', async () => {
    const { server, engine } = await world();
    const web = engine.run('web');
    web.stored.push({ time: 1_000_000_000n, stream: 1, bytes: Buffer.from('long ago\n') });
    await ship(server, { engine: engine.socket });
    await isFollowed(engine);
    engine.write(web, ['ERROR one\n', 'two\n'], { stream: 2 });
    await eventually(() => textsOf(server).flat()).toEqual(['ERROR one', 'two']);
    expect(linesOf(server)[0]).toMatchObject({ level: 4, service: 'web' });
    expect(Math.abs((linesOf(server)[0]?.log_time ?? 0) - Date.now() / 1000)).toBeLessThan(600);
    expect(new Set(engine.requests)).toEqual(
      new Set([
        'GET /containers/json?all=1',
        `GET /containers/${web.id}/json`,
        `GET /containers/${web.id}/logs?stdout=1&stderr=1&timestamps=1&follow=1&since=`,
      ]),
    );
  });

  it('are those of the setting, also when they come, end, start again and get another name', async () => {
    const { server, engine } = await world();
    engine.write(engine.run('db'), ['not this\n']);
    const [one, two] = [
      engine.run('shop-1'),
      engine.run('shop-2', { tty: true, state: 'exited', status: 'Exited (1) 2 hours ago' }),
    ];
    engine.write(two, ['its last words\n']);
    await ship(server, { engine: engine.socket, containers: ['shop-*'], now: () => Date.now() - 60_000 });
    await eventually(() => textsOf(server).flat()).toEqual(['its last words']);
    await isFollowed(engine);
    engine.write(one, ['one\n']);
    engine.exit(one);
    await eventually(() => textsOf(server).flat()).toContain('one');
    Object.assign(one, { state: 'running', status: 'Up 1 second', name: 'shop-renamed' });
    // The second look begins when the first one with the new name has ended.
    const looks = () => engine.requests.filter((request) => request.endsWith('json?all=1')).length;
    const seen = looks();
    await eventually(looks).toBeGreaterThan(seen + 2);
    engine.write(one, ['again\n']);
    await eventually(() => textsOf(server).flat()).toContain('again');
    const brief = engine.run('shop-3', { state: 'exited', status: 'Exited (0) Less than a second ago' });
    engine.write(brief, ['brief\n']);
    await eventually(() => textsOf(server).flat().toSorted()).toEqual(['again', 'brief', 'its last words', 'one']);
    expect(linesOf(server).find(({ log }) => log === 'again')?.service).toBe('shop-renamed');
  });

  it('continue where they were when the agent starts again', async () => {
    const { server, engine, dir } = await world();
    const web = engine.run('web');
    const first = await ship(server, { dir, engine: engine.socket });
    await isFollowed(engine);
    engine.write(web, ['one\n', 'same time\n', 'same time\n'], { sameTime: true });
    // Acknowledged, not only sent: what is not is sent again under its key.
    await eventually(() => first.shipper.state().lines).toBe(3);
    await first.end();
    engine.write(web, ['two\n']);
    engine.write(engine.run('new'), ['three\n']);
    await ship(server, { dir, engine: engine.socket });
    await eventually(() => textsOf(server).flat().slice(3).toSorted()).toEqual(['three', 'two']);
  });

  it('are read when the engine comes later, ends, and comes again', async () => {
    const { server, engine } = await world();
    await engine.stop();
    const agent = await ship(server, { engine: engine.socket });
    await eventually(() => agent.said('the engine of containers does not answer')).toBe(true);
    await agent.write('in a file\n');
    await eventually(() => textsOf(server).flat()).toEqual(['in a file']);
    const web = engine.run('web');
    engine.write(web, ['one\n']);
    await engine.start();
    await isFollowed(engine);
    // The piece of a line is read again as a whole.
    engine.write(web, ['two\n', 'half ']);
    await eventually(() => textsOf(server).flat()).toContain('two');
    await engine.stop();
    engine.write(web, ['line\n']);
    await engine.start();
    await eventually(() => textsOf(server).flat()).toEqual(['in a file', 'one', 'two', 'half line']);
    expect(agent.said('the engine of containers answers again')).toBe(true);
  });

  it('wait in the engine while the spool is full', async () => {
    const { server, engine } = await world();
    const web = engine.run('web');
    let isEnrolled = false;
    const agent = await ship(server, { engine: engine.socket, spoolMaxBytes: 1, isEnrolled: () => isEnrolled });
    await isFollowed(engine);
    engine.write(web, ['one\n']);
    await eventually(async () => (await agent.spooled()).length).toBe(1);
    engine.write(web, ['two\n', 'three\n']);
    isEnrolled = true;
    await eventually(() => textsOf(server).flat()).toEqual(['one', 'two', 'three']);
  });

  it('count as lost where the engine has deleted unread output', async () => {
    const { server, engine, dir } = await world();
    const web = engine.run('web');
    const first = await ship(server, { dir, engine: engine.socket });
    await isFollowed(engine);
    engine.write(web, ['one\n']);
    await eventually(() => first.shipper.state().lines).toBe(1);
    await first.end();
    engine.write(web, ['two\n', 'three\n']);
    web.stored.splice(0, 2);
    const agent = await ship(server, { dir, engine: engine.socket });
    await eventually(() => textsOf(server).flat()).toEqual(['one', 'three']);
    expect(agent.shipper.state().lines_dropped).toBe(1);
  });

  it('are read once where a look comes between the end of a container and the batch with its last line', async () => {
    const { engine } = await world();
    const web = engine.run('web');
    const [texts, seen, batch] = [[] as string[], Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let nowMs = 0;
    const logs = new ContainerLogs({
      ...{ socket: engine.socket, names: ['*'], positions: { since: 0, read: [] }, pollEveryMs: 20 },
      async onEntry({ text }) {
        texts.push(text);
        seen.resolve();
        await batch.promise;
      },
      onLoss: () => undefined,
      onChange: async () => undefined,
      hasRoom: () => true,
      log: createLog({ write: () => undefined }, 'silent', false),
      now: Date.now,
      monotonicMs: () => nowMs,
    });
    onTestFinished(() => logs.close());
    const stop = new AbortController();
    const polling = (async () => {
      while (!stop.signal.aborted) {
        await logs.poll();
        await turn();
      }
    })();
    await isFollowed(engine);
    const listed = Promise.withResolvers<void>();
    engine.list = listed.promise;
    const looks = engine.requests.length;
    nowMs += 1_000;
    await eventually(() => engine.requests.length).toBeGreaterThan(looks);
    engine.write(web, ['one\n']);
    engine.exit(web);
    await seen.promise;
    const db = engine.run('db', { state: 'exited', status: 'Exited (0) 2 seconds ago' });
    listed.resolve();
    await eventually(() => engine.requests.some((request) => request.includes(`${db.id}/logs`))).toBe(true);
    batch.resolve();
    await eventually(() => {
      nowMs += 1_000;
      return logs.positions.read.length;
    }).toBe(1);
    const asked = engine.requests.length;
    await eventually(() => {
      nowMs += 1_000;
      return engine.requests.length;
    }).toBeGreaterThan(asked + 2);
    stop.abort();
    await polling;
    expect(texts).toEqual(['one']);
  });

  it('keep no other from being read when one is damaged or refused', async () => {
    const { server, engine } = await world();
    const web = engine.run('web');
    engine.logStatus = 501;
    const agent = await ship(server, { engine: engine.socket });
    await eventually(() => agent.log.some((line) => line.includes('status 501'))).toBe(true);
    engine.logStatus = 200;
    await isFollowed(engine);
    engine.send(Buffer.from('this is no frame'));
    await eventually(() => agent.said('a frame is damaged')).toBe(true);
    const db = engine.run('db');
    engine.write(db, ['one\n']);
    await eventually(() => textsOf(server).flat()).toEqual(['one']);
    expect(web.stored).toEqual([]);
  });
});
