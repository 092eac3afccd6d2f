import { gzipSync } from 'node:zlib';
import type { AppError } from '@quarterdeck/core';
import { type Logger, pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { BodyForm } from '../../../ingest/lines-body.ts';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import type { IncomingBody } from './incoming.ts';
import { unpackBatch } from './packed-batch.ts';

const open: BodyReader[] = [];
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.close();
});

function start(log: Logger = pino({ enabled: false })): BodyReader {
  const reader = createBodyReader(log);
  open.push(reader);
  return reader;
}

const body = (sender: string, bytes: Uint8Array, form: BodyForm = 'json', encoding?: string): IncomingBody => ({
  bytes,
  form,
  encoding,
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

describe('a reader of bodies', () => {
  it('gives the lines of every form, with their fingerprints and senders', async () => {
    const reader = start();
    const plain = unpackBatch(await reader.read(lineOf('api'), 100, true));
    expect(plain).toMatchObject({ refused: [], fingerprints: [expect.any(String)], bodyHash: expect.any(Uint8Array) });
    const read = { level: 4, log: 'x', logTime: 5, appId: 2, reqId: 'r', count: 3 };
    expect(plain.lines).toEqual([
      {
        line: read,
        sender: { nodeType: 0, nodeId: -1, name: 'api', address: '192.0.2.1', credential: 'api', formerName: 'api' },
      },
    ]);
    const zipped = await reader.read(body('api', gzipSync(`${LINE}\n7\n${LINE}`), 'ndjson', 'gzip'), 100, false);
    expect(unpackBatch(zipped)).toMatchObject({ lines: [{ line: read }, { line: read }], refused: [{ index: 1 }] });

    const record = { body: { stringValue: 'y' }, attributes: [{ key: 'a', value: { stringValue: 'b' } }] };
    const otlp = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record, {}] }] }] });
    const batch = await reader.read(body('agent 5', Buffer.from(otlp), 'otlp_json'), 100, false);
    expect(batch).toMatchObject({ size: 1, rejected: 1 });
    expect(unpackBatch(batch).lines).toMatchObject([
      { line: { log: 'y', logTime: 100, fields: { a: 'b' } }, sender: { name: 'otlp' } },
    ]);
  });

  it('refuses what cannot be read, and reads on', async () => {
    const reader = start();
    const sent = ['{', '[]', `[${'{},'.repeat(10_000)}{}]`, '['.repeat(1_000), LINE];
    const reads = sent.map((text) => reader.read(body('api', Buffer.from(text)), 100, false));
    expect(await refusals(reads)).toEqual([
      ...['malformed_json', 'nothing_accepted', 'too_large', 'too_large', undefined],
    ]);
  });

  it('has one body of a sender read and 64 waiting', async () => {
    const reader = start();
    const mine = Array.from({ length: 66 }, () => reader.read(lineOf('a'), 100, false));
    const other = reader.read(lineOf('b'), 100, false);
    expect(await refusals([...mine, other])).toEqual([...Array(65).fill(undefined), 'overloaded', undefined]);
    expect(await refusals([reader.read(lineOf('a'), 100, false)])).toEqual([undefined]);
  });

  it('has 256 bodies of all senders waiting, and 32 MiB', async () => {
    const reader = start();
    const codes = await refusals(
      ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((sender) =>
        Array.from({ length: 50 }, () => reader.read(lineOf(sender), 100, false)),
      ),
    );
    // Two are read at once.
    expect(codes.filter((code) => code === undefined)).toHaveLength(258);
    expect(new Set(codes.slice(258))).toEqual(new Set(['overloaded']));

    const large = () => reader.read(body('a', Buffer.alloc(8 * 1024 * 1024, ' ')), 100, false);
    expect((await refusals(Array.from({ length: 7 }, large))).slice(4)).toEqual([
      ...['body_missing', 'overloaded', 'overloaded'],
    ]);
  });

  it('serves the others between the bodies of one sender', async () => {
    const reader = start();
    const done: string[] = [];
    const read = async (sender: string) => {
      await reader.read(lineOf(sender), 100, false);
      done.push(sender);
    };
    const senders = [...Array<string>(15).fill('a'), ...Array<string>(15).fill('b'), 'c'];
    await Promise.all(senders.map(read));
    expect(done.indexOf('c')).toBeLessThan(10);
  });

  it('refuses what waits when it is closed', async () => {
    const reader = start();
    const reads = Array.from({ length: 3 }, () => reader.read(lineOf('a'), 100, false));
    const refused = refusals(reads);
    await reader.close();
    expect(new Set(await refused)).toEqual(new Set(['shutting_down']));
  });
});
