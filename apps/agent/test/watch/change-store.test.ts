import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostChange } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary.ts';
import { fieldsOf, found, openStore, START_MS, TestClock } from './stored-changes.ts';

/** Numbers of the next report. */
const last = (changes: readonly HostChange[]): number => changes.at(-1)?.seq ?? 0;

describe('the store of changes', () => {
  it('reports a change until the server has stored it, also after a restart', async () => {
    const dir = await temporaryFolder();
    const clock = new TestClock();
    const first = await openStore(dir, clock);
    await first.keep('config', { observed: { '/a': '1' }, changes: [found('/a'), found('/b')] });
    const sent = first.next();
    expect(fieldsOf(sent)).toEqual(['/a', '/b']);

    const second = await openStore(dir, clock);
    expect(second.observed('config')).toEqual({ '/a': '1' });
    const again = second.next();
    expect(again.map(({ seq }) => seq)).toEqual(sent.map(({ seq }) => seq));
    await second.acknowledge(again, again[0]?.seq);
    expect(fieldsOf(second.next())).toEqual(['/b']);

    const third = await openStore(dir, clock);
    expect(fieldsOf(third.next())).toEqual(['/b']);
    await third.acknowledge(third.next(), last(again));
    expect((await openStore(dir, clock)).next()).toEqual([]);
  });

  it('keeps changes that the server has not stored yet', async () => {
    const store = await openStore(await temporaryFolder(), new TestClock());
    await store.keep('config', { observed: {}, changes: [found('/a')] });
    await store.acknowledge(store.next(), 0);
    expect(fieldsOf(store.next())).toEqual(['/a']);
  });

  it('finds a change again where it could not be written', async () => {
    const dir = await temporaryFolder();
    const store = await openStore(dir, new TestClock());
    await store.keep('config', { observed: { '/a': '1' }, changes: [] });
    // No file can take the name of a folder that is not empty.
    await rm(join(dir, 'watch', 'config.json'));
    await mkdir(join(dir, 'watch', 'config.json', 'x'), { recursive: true });
    await expect(store.keep('config', { observed: { '/a': '2' }, changes: [found('/a')] })).rejects.toThrow();
    expect(store.observed('config')).toEqual({ '/a': '1' });
    expect(store.next()).toEqual([]);
  });

  it('writes nothing for a look without news', async () => {
    const dir = await temporaryFolder();
    const store = await openStore(dir, new TestClock());
    await store.keep('config', { observed: { '/a': '1' }, changes: [] });
    await rm(join(dir, 'watch', 'config.json'));
    await store.keep('config', { observed: { '/a': '1' }, changes: [] });
    await expect(stat(join(dir, 'watch', 'config.json'))).rejects.toThrow('ENOENT');
    await store.keep('config', { observed: { '/a': '2' }, changes: [] });
    expect((await stat(join(dir, 'watch', 'config.json'))).mode & 0o777).toBe(0o600);
  });

  it('tells the interval of a change that happened while the agent was down', async () => {
    const dir = await temporaryFolder();
    const clock = new TestClock();
    const store = await openStore(dir, clock);
    await store.keep('config', { observed: { '/a': '1' }, changes: [] });
    clock.pass(60_000);
    // The look began two seconds ago.
    await store.keep('config', { observed: { '/a': '1' }, changes: [] }, 2_000);
    clock.pass(3_600_000);
    const next = await openStore(dir, clock);
    await next.keep('config', { observed: { '/a': '2' }, changes: [found('/a')] });
    clock.pass(30_000);
    await next.keep('config', { observed: { '/a': '3' }, changes: [found('/a')] });
    const intervals = () => next.next().map(({ ago, since_ago: since }) => [since, ago]);
    expect(intervals()).toEqual([
      [3_632, 30],
      [undefined, 0],
    ]);
    // It stays with a change that waits, and a clock that was set back gives none.
    clock.wallMs -= 86_400_000;
    const last = await openStore(dir, clock);
    await last.keep('config', { observed: { '/a': '4' }, changes: [found('/a')] });
    expect(last.next().map(({ since_ago: since }) => since)).toEqual([3_602, undefined, undefined]);
  });

  it('tells the interval of a change that a watcher missed for long', async () => {
    const clock = new TestClock();
    const store = await openStore(await temporaryFolder(), clock);
    await store.keep('config', { observed: { '/a': '1' }, changes: [] });
    clock.pass(600_000);
    await store.keep('config', { observed: { '/a': '2' }, changes: [found('/a', { atMs: clock.wallMs - 5_000 })] });
    expect(store.next()).toMatchObject([{ ago: 5, since_ago: 600 }]);
  });

  it('numbers changes upwards, over watchers, restarts and clocks that are set back', async () => {
    const dir = await temporaryFolder();
    const clock = new TestClock();
    const names = ['config', 'package'];
    const store = await openStore(dir, clock, { names });
    await store.keep('config', { observed: {}, changes: [found('/a'), found('/b')] });
    await store.keep('package', { observed: {}, changes: [found('nginx', { kind: 'package' })] });
    const [a = 0, b = 0, c = 0] = store.next().map(({ seq }) => seq);
    expect([b, c]).toEqual([a + 1, a + 2]);
    await store.acknowledge(store.next(), c);
    clock.wallMs -= 86_400_000;
    const next = await openStore(dir, clock, { names });
    await next.keep('config', { observed: { '/a': '' }, changes: [found('/c')] });
    expect(last(next.next())).toBe(c + 1);
    // A folder that was lost continues after the numbers of its former one.
    clock.wallMs = START_MS + 60_000;
    const fresh = await openStore(await temporaryFolder(), clock);
    await fresh.keep('config', { observed: {}, changes: [found('/d')] });
    expect(last(fresh.next())).toBeGreaterThan(c + 1);
  });

  it('tells the age of a change by the monotonic clock, and after a restart by the wall clock', async () => {
    const dir = await temporaryFolder();
    const clock = new TestClock();
    const store = await openStore(dir, clock);
    const changes = [found('/a'), found('/b', { atMs: START_MS - 30_000 }), found('/c', { atMs: START_MS + 9_000 })];
    await store.keep('config', { observed: {}, changes });
    clock.monotonicMs += 10_000;
    clock.wallMs += 3_600_000;
    expect(store.next().map(({ ago }) => ago)).toEqual([10, 40, 10]);
    expect((await openStore(dir, clock)).next().map(({ ago }) => ago)).toEqual([3_600, 3_630, 3_600]);
    clock.wallMs = START_MS - 50_000;
    expect((await openStore(dir, clock)).next().map(({ ago }) => ago)).toEqual([0, 0, 0]);
  });

  it('reports what the contract takes, whatever the host contains', async () => {
    const store = await openStore(await temporaryFolder(), new TestClock());
    const nasty = `\u0000\ud800 \u202e\u001b[31m${'ü'.repeat(600)}`;
    const change = found(nasty, {
      from: nasty,
      to: nasty,
      diff: `+a\n\u0000\ud800\u001b${'x'.repeat(70_000)}`,
      atMs: 1,
    });
    await store.keep('config', { observed: {}, changes: [change] });
    const [sent] = store.next();
    expect(HostChange.safeParse(sent).success).toBe(true);
    expect(sent?.diff).toMatch(/^\+a\n {3}x+$|^\+a\n \ufffd x+$/);
    expect(JSON.stringify(sent)).not.toMatch(/\\u00|\u202e/);
  });

  it('reports at most 100 changes and 256 KiB', async () => {
    const store = await openStore(await temporaryFolder(), new TestClock());
    await store.keep('config', { observed: {}, changes: Array.from({ length: 150 }, (_, n) => found(`/${n}`)) });
    expect(store.next()).toHaveLength(100);
    await store.acknowledge(store.next(), last(store.next()));
    await store.acknowledge(store.next(), last(store.next()));
    const diff = 'x'.repeat(60_000);
    await store.keep('config', {
      observed: {},
      changes: Array.from({ length: 9 }, (_, n) => found(`/${n}`, { diff })),
    });
    expect(store.next()).toHaveLength(4);
  });

  it('drops the oldest of more than 1,000 changes, and of more than 4 MiB', async () => {
    const dir = await temporaryFolder();
    const lines: string[] = [];
    const store = await openStore(dir, new TestClock(), { lines });
    const many = (count: number, diff?: string) =>
      Array.from({ length: count }, (_, n) => found(`/${n}`, diff === undefined ? {} : { diff }));
    await store.keep('config', { observed: {}, changes: many(1_003) });
    expect(fieldsOf(store.next())[0]).toBe('/3');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', dropped: 3, first: '/0' }]);
    await store.keep('config', { observed: { '/': '' }, changes: many(90, 'x'.repeat(60_000)) });
    expect(fieldsOf(store.next())[0]).toBe('/21');
    expect((await stat(join(dir, 'watch', 'config.json'))).size).toBeLessThan(4.2 * 1024 * 1024);
    expect(fieldsOf((await openStore(dir, new TestClock())).next())[0]).toBe('/21');
  });

  it('moves a damaged file aside and observes anew', async () => {
    const dir = await temporaryFolder();
    const lines: string[] = [];
    const store = await openStore(dir, new TestClock());
    await store.keep('config', { observed: { '/a': '1' }, changes: [found('/a')] });
    const path = join(dir, 'watch', 'config.json');
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, -5));
    const again = await openStore(dir, new TestClock(), { lines });
    expect(again.observed('config')).toBeUndefined();
    expect(again.next()).toEqual([]);
    expect(lines.join()).toContain('damaged');
    expect((await stat(`${path}.damaged`)).isFile()).toBe(true);
  });

  it('forgets what a watcher that is turned off has seen, and still reports its changes', async () => {
    const dir = await temporaryFolder();
    const store = await openStore(dir, new TestClock());
    await store.keep('config', { observed: { '/a': '1' }, changes: [found('/a')] });
    await mkdir(join(dir, 'watch', 'config'));
    await writeFile(join(dir, 'watch', 'config', 'key'), 'x');
    const without = await openStore(dir, new TestClock(), { names: [] });
    expect(fieldsOf(without.next())).toEqual(['/a']);
    await expect(stat(join(dir, 'watch', 'config'))).rejects.toThrow('ENOENT');
    expect((await openStore(dir, new TestClock())).observed('config')).toBeUndefined();
    await without.acknowledge(without.next(), last(without.next()));
    await expect(stat(join(dir, 'watch', 'config.json'))).rejects.toThrow('ENOENT');
  });
});

describe('a server that has stored higher numbers than this host sent', () => {
  const FOREIGN = START_MS + 50_000;

  it('gets new changes again under higher numbers', async () => {
    const dir = await temporaryFolder();
    const store = await openStore(dir, new TestClock());
    await store.keep('config', { observed: {}, changes: [found('/a'), found('/b')] });
    await store.acknowledge(store.next(), FOREIGN);
    const again = store.next();
    expect(again.map(({ field, seq }) => [field, seq])).toEqual([
      ['/a', FOREIGN + 1],
      ['/b', FOREIGN + 2],
    ]);
    expect((await openStore(dir, new TestClock())).next().map(({ seq }) => seq)).toEqual([FOREIGN + 1, FOREIGN + 2]);
    await store.acknowledge(again, FOREIGN + 2);
    expect(store.next()).toEqual([]);
  });

  it('gets a change only once that it may have stored before, as after a restored backup', async () => {
    const dir = await temporaryFolder();
    const store = await openStore(dir, new TestClock());
    await store.keep('config', { observed: {}, changes: [found('/sent')] });
    store.next();
    const restored = await openStore(dir, new TestClock());
    await restored.keep('config', { observed: { '/': '' }, changes: [found('/new')] });
    await restored.acknowledge(restored.next(), FOREIGN);
    expect(fieldsOf(restored.next())).toEqual(['/new']);
  });
});

it('sends one change in each report while a server takes none', async () => {
  const store = await openStore(await temporaryFolder(), new TestClock());
  await store.keep('config', { observed: {}, changes: ['/a', '/b', '/c'].map((field) => found(field)) });
  await store.acknowledge(store.next(), undefined);
  expect(fieldsOf(store.next())).toEqual(['/a']);
  await store.acknowledge(store.next(), last(store.next()));
  expect(fieldsOf(store.next())).toEqual(['/b', '/c']);
});

describe('a server that refuses changes', () => {
  it('gets them one by one, without the one that it refuses', async () => {
    const lines: string[] = [];
    const store = await openStore(await temporaryFolder(), new TestClock(), { lines });
    await store.keep('config', { observed: {}, changes: ['/bad', '/b', '/c', '/d'].map((field) => found(field)) });
    await store.reject(store.next());
    expect(fieldsOf(store.next())).toEqual(['/bad']);
    await store.reject(store.next());
    expect(lines.join()).toContain('/bad');
    expect(fieldsOf(store.next())).toEqual(['/b']);
    await store.acknowledge(store.next(), last(store.next()));
    expect(fieldsOf(store.next())).toEqual(['/c', '/d']);
  });
});

it('asks for a report when changes wait', async () => {
  const dir = await temporaryFolder();
  let asked = 0;
  const onWaiting = () => {
    asked += 1;
  };
  const store = await openStore(dir, new TestClock(), { onWaiting });
  await store.keep('config', { observed: { '/a': '1' }, changes: [] });
  expect(asked).toBe(0);
  await store.keep('config', { observed: { '/a': '2' }, changes: Array.from({ length: 150 }, () => found('/a')) });
  expect(asked).toBe(1);
  await openStore(dir, new TestClock(), { onWaiting });
  expect(asked).toBe(2);
  // More than one report is needed, and none while the server takes nothing.
  await store.acknowledge(store.next(), 0);
  expect(asked).toBe(2);
  await store.acknowledge(store.next(), last(store.next()));
  expect(asked).toBe(3);
  await store.acknowledge(store.next(), last(store.next()));
  expect(asked).toBe(3);
});
