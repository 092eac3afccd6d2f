import { setImmediate as nextRound } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { LineRead } from './answer-read.ts';
import { LineReaderThread } from './line-reader-thread.ts';
import type { LineAnswer } from './read-lines.ts';
import { type LineReader, SearchQueue } from './search-queue.ts';

const READ: LineRead = { kind: 'line', id: '1' };
const LIMITS = { ofAll: 4, ofOne: 3 };

/** A thread whose reads end when the test says so. */
class FakeThread implements LineReader {
  reading: PromiseWithResolvers<LineAnswer> | undefined;
  cancelled = 0;

  get busy(): boolean {
    return this.reading !== undefined;
  }

  async read(): Promise<LineAnswer> {
    this.reading = Promise.withResolvers();
    try {
      return await this.reading.promise;
    } finally {
      this.reading = undefined;
    }
  }

  cancel(): void {
    this.cancelled += 1;
  }

  async end(): Promise<void> {
    this.reading?.reject(new Error('ended'));
  }
}

function start(count: number) {
  const threads = Array.from({ length: count }, () => new FakeThread());
  const queue = new SearchQueue(threads, LIMITS);
  const order: string[] = [];
  const run = (credential: string, signal?: AbortSignal) => {
    const done = queue.run(credential, READ, 0, signal).then(() => order.push(credential));
    // Looked at by the test, after others.
    done.catch(() => {});
    return done;
  };
  /** Ends the running searches until none is left. */
  const finish = async () => {
    for (let running = threads.filter(({ busy }) => busy); running.length > 0; ) {
      running[0]?.reading?.resolve({ value: undefined, damaged: [] });
      await nextRound();
      running = threads.filter(({ busy }) => busy);
    }
  };
  return { threads, queue, order, run, finish };
}

describe('a queue of searches', () => {
  it('runs two of a caller at once, and those of others meanwhile', async () => {
    const { threads, run, order, finish } = start(3);
    for (const credential of ['a', 'a', 'a']) void run(credential);
    expect(threads.map(({ busy }) => busy)).toEqual([true, true, false]);
    void run('b');
    expect(threads.map(({ busy }) => busy)).toEqual([true, true, true]);
    await finish();
    expect(order.sort()).toEqual(['a', 'a', 'a', 'b']);
  });

  it('lets callers take turns', async () => {
    const { run, order, finish } = start(1);
    for (const credential of ['a', 'a', 'a', 'b', 'c']) void run(credential);
    await finish();
    expect(order).toEqual(['a', 'b', 'c', 'a', 'a']);
  });

  it('refuses a search when too many wait, of all or of its caller', async () => {
    const { run, order, finish } = start(1);
    for (const credential of ['a', 'a', 'a', 'a']) void run(credential);
    await expect(run('a')).rejects.toMatchObject({ code: 'overloaded' });
    void run('b');
    await expect(run('c')).rejects.toMatchObject({ code: 'overloaded' });
    await finish();
    expect(order.sort()).toEqual(['a', 'a', 'a', 'a', 'b']);
  });

  it('removes a waiting search that its caller aborts, and ends a running one', async () => {
    const { threads, run, order, finish } = start(1);
    const [running, waiting] = [new AbortController(), new AbortController()];
    const [first, second] = [run('a', running.signal), run('a', waiting.signal)];
    waiting.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(threads[0]?.cancelled).toBe(0);
    running.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(threads[0]?.cancelled).toBe(1);
    await finish();
    expect(order).toEqual([]);
  });

  it('rejects everything when it is closed', async () => {
    const { queue, run } = start(1);
    const all = [run('a'), run('b')];
    await queue.close();
    await expect(all[0]).rejects.toThrow('ended');
    await expect(all[1]).rejects.toMatchObject({ code: 'shutting_down' });
    await expect(run('c')).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

describe('a thread that dies', () => {
  it('fails its search, which can be retried on another thread', async () => {
    const logged: string[] = [];
    const script = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ read }) => {
        if (read?.id === '1') process.exit(1);
        if (read === undefined) parentPort.close();
        else parentPort.postMessage({ kind: 'read', value: read.id });
      });`;
    const settings = { dialect: 'sqlite', file: '' } as const;
    const log = pino({ level: 'error' }, { write: (line) => logged.push(line) });
    const file = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const thread = new LineReaderThread({ settings, yields: false }, log, file);
    await expect(thread.read(READ, 0)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
    expect(logged).toHaveLength(1);
    expect(await thread.read({ kind: 'line', id: '2' }, 0)).toMatchObject({ value: '2' });
    await thread.end();
  });
});
