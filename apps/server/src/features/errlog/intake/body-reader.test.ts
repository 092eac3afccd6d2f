import type { AppError } from '@quarterdeck/core';
import type { BodyForm } from '@quarterdeck/intake';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BodyReader, type BodyThread, createBodyReader } from './body-reader.ts';
import type { IncomingBody } from './incoming.ts';
import type { PackedBatch } from './packed-batch.ts';

const body = (sender: string, bytes: Uint8Array, form: BodyForm = 'json', encoding?: string): IncomingBody => ({
  bytes,
  form,
  encoding,
  target: '',
  from: { name: sender, address: '192.0.2.1', credential: sender },
});
const LINE = JSON.stringify({ level: 4, log: 'x', log_time: 5, app_id: 2, req_id: 'r', count: 3 });
const lineOf = (sender: string) => body(sender, Buffer.from(LINE));

/** The codes of those that were refused, in the order in which they were sent. */
async function refusals(reads: readonly Promise<unknown>[]): Promise<(string | undefined)[]> {
  return (await Promise.allSettled(reads)).map((result) =>
    result.status === 'rejected' ? ((result.reason as AppError).code ?? String(result.reason)) : undefined,
  );
}

const LOG = pino({ enabled: false });
/** Most bodies that wait. */
const WAITING = 256;

/** Threads of a reader that read a body once they are released, and the senders whose bodies they have begun. */
function heldThreads(isLate = () => false) {
  const begun: string[] = [];
  const tell = Promise.withResolvers<void>();
  const createThread = (): BodyThread => {
    const thread = {
      busy: false,
      async read({ body: { from } }: Parameters<BodyThread['read']>[0]) {
        thread.busy = true;
        begun.push(from.name);
        await tell.promise;
        thread.busy = false;
        return {} as PackedBatch;
      },
      startIdle: () => undefined,
      end: async () => undefined,
    };
    return thread;
  };
  return { reader: createBodyReader(LOG, isLate, createThread), begun, readAll: () => tell.resolve() };
}

describe('a reader of bodies', () => {
  let reader: BodyReader;
  beforeAll(() => {
    reader = createBodyReader(LOG, () => false);
  });
  afterAll(() => reader.close());

  it('refuses what cannot be read, and reads on', async () => {
    const sent = ['{', '[]', `[${'{},'.repeat(10_000)}{}]`, '['.repeat(1_000), LINE];
    const reads = sent.map((text) => reader.read(body('api', Buffer.from(text)), 100, false));
    expect(await refusals(reads)).toEqual([
      ...['malformed_json', 'nothing_accepted', 'too_large', 'too_large', undefined],
    ]);
  });
});

describe('the queues of a reader of bodies', () => {
  it('hold 64 bodies of a sender besides the one that is read', async () => {
    const { reader, readAll } = heldThreads();
    const mine = Array.from({ length: 66 }, () => reader.read(lineOf('a'), 100, false));
    const outcomes = refusals([...mine, reader.read(lineOf('b'), 100, false)]);
    readAll();
    expect(await outcomes).toEqual([...Array(65).fill(undefined), 'overloaded', undefined]);
    expect(await refusals([reader.read(lineOf('a'), 100, false)])).toEqual([undefined]);
  });

  it('hold 256 bodies of all senders, and 32 MiB', async () => {
    const many = heldThreads();
    const senders = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((sender) => Array<string>(50).fill(sender));
    const codes = refusals(senders.map((sender) => many.reader.read(lineOf(sender), 100, false)));
    many.readAll();
    // Two are read at once.
    expect((await codes).filter((code) => code === undefined)).toHaveLength(WAITING + 2);
    expect(new Set((await codes).slice(WAITING + 2))).toEqual(new Set(['overloaded']));

    const large = heldThreads();
    const bytes = Buffer.alloc(8 * 1024 * 1024);
    const reads = refusals(Array.from({ length: 7 }, () => large.reader.read(body('a', bytes), 100, false)));
    large.readAll();
    expect(await reads).toEqual([...Array(5).fill(undefined), 'overloaded', 'overloaded']);
  });

  it('let the others between the bodies of one sender', async () => {
    const { reader, begun, readAll } = heldThreads();
    const senders = [...Array<string>(15).fill('a'), ...Array<string>(15).fill('b'), 'c'];
    const reads = senders.map((sender) => reader.read(lineOf(sender), 100, false));
    readAll();
    await Promise.all(reads);
    expect(begun.indexOf('c')).toBeLessThan(6);
  });

  it('refuse bodies that have waited for too long, instead of reading them', async () => {
    const { reader, begun, readAll } = heldThreads(() => begun.length >= 2);
    const reads = ['a', 'b', 'c', 'd'].map((sender) => reader.read(lineOf(sender), 100, false));
    readAll();
    expect(await refusals(reads)).toEqual([undefined, undefined, 'overloaded', 'overloaded']);
    expect(begun).toEqual(['a', 'b']);
  });

  it('are refused when the reader is closed', async () => {
    const reader = createBodyReader(LOG, () => false);
    const refused = refusals(Array.from({ length: 3 }, () => reader.read(lineOf('a'), 100, false)));
    await reader.close();
    expect(new Set(await refused)).toEqual(new Set(['shutting_down']));
  });
});
