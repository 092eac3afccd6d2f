// Tests the shipper against a server on a real socket that gives prepared answers.
import { appendFile, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WakeSignal } from '../../src/process/wake-signal.ts';
import { type Reply, refusal, startFakeConsole, success } from '../fake-console.ts';
import { batches, eventually, SECRET, ship, shipTo, textsOf } from './running-shipper.ts';

describe('log shipping', () => {
  it('sends lines as compressed NDJSON, with the secret and a key', async () => {
    const { server, agent } = await shipTo();
    await agent.write('2026/11/20 09:00:00 [warn] 1#1: one\nERROR two\n');
    await eventually(() => agent.shipper.state().lines).toBe(2);
    expect(batches(server)[0]).toMatchObject({
      path: '/admin-api/log_server/errlog',
      token: SECRET,
      type: 'application/x-ndjson',
      encoding: 'gzip',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(textsOf(server).flat()).toEqual(['one', 'ERROR two']);
    await eventually(() => agent.shipper.state()).toEqual({
      files: 1,
      files_refused: 0,
      lines: 2,
      bytes_waiting: 0,
      lines_dropped: 0,
      lines_refused: 0,
      unclear_files: [
        { path: join(agent.dir, 'logs', 'a.log'), lines: 2, lines_without_time: 1, lines_without_level: 0 },
      ],
    });
    // The ledger of the server counts them too.
    const unknown = batches(server).map(({ numbers }) => numbers as Record<string, number>);
    const sumOf = (name: string) => unknown.reduce((sum, numbers) => sum + (numbers[name] ?? 0), 0);
    expect([sumOf('lines_without_time'), sumOf('lines_without_level')]).toEqual([1, 0]);
  });

  it('notices an error that is new on this host, and no other line', async () => {
    const server = await startFakeConsole();
    let newErrors = 0;
    const agent = await ship(server, { onNewError: () => (newErrors += 1) });
    await agent.write('[warn] 1#1: one\n[error] 1#1: gone 1\n[error] 1#1: gone 2\n[crit] 1#1: full\n');
    await eventually(() => agent.shipper.state().lines).toBe(4);
    expect(newErrors).toBe(2);
  });

  it('reports lines that were truncated before they were read, in a batch without lines', async () => {
    const server = await startFakeConsole();
    let isEnrolled = false;
    const agent = await ship(server, { isEnrolled: () => isEnrolled, spoolMaxBytes: 1 });
    await agent.write('one\n');
    await eventually(() => agent.said('the spool is full')).toBe(true);
    const waiting = agent.shipper.state().bytes_waiting;
    await agent.write('two\n');
    await eventually(() => agent.shipper.state().bytes_waiting).toBeGreaterThan(waiting);
    await truncate(join(agent.dir, 'logs', 'a.log'));
    await eventually(() => agent.shipper.state().lines_dropped).toBe(1);
    // A server without a ledger refuses a batch without lines.
    const refused = Promise.withResolvers<Reply>();
    server.next.push(success({ accepted: 1, refused: [] }), refused.promise);
    isEnrolled = true;
    await eventually(() => batches(server).length).toBe(2);
    refused.resolve(refusal(400, 'body_missing'));
    const none = { rotation: 0, spool_full: 0, skipped: 0 };
    expect(batches(server).map(({ numbers }) => numbers)).toEqual([
      {
        ...{ spool: expect.any(String), number: 1, read: 1, dropped: none },
        ...{ lines_without_time: 1, lines_without_level: 1 },
      },
      { spool: expect.any(String), number: 2, read: 1, dropped: { ...none, spool_full: 1 } },
    ]);
    expect(textsOf(server)).toEqual([['one'], []]);
    await agent.write('three\n');
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 2, lines_refused: 0, bytes_waiting: 0 });
    expect(batches(server)[2]?.numbers).toMatchObject({ number: 3, read: 2 });
  });

  it('gives lines the service and the level of the settings of their file, also after a rotation', async () => {
    const server = await startFakeConsole();
    const agent = await ship(server, { settings: { service: 'shop', level: 5 } });
    await agent.write('one\nDEBUG two\n');
    await eventually(() => agent.shipper.state().lines).toBe(2);
    await rename(join(agent.dir, 'logs', 'a.log'), join(agent.dir, 'logs', 'a.log.1'));
    await appendFile(join(agent.dir, 'logs', 'a.log.1'), 'three\n');
    await eventually(() => agent.shipper.state().lines).toBe(3);
    expect(batches(server).flatMap(({ body }) => body)).toMatchObject([
      { log: 'one', level: 5, service: 'shop' },
      { log: 'DEBUG two', level: 8, service: 'shop' },
      { log: 'three', level: 5, service: 'shop' },
    ]);
  });

  it.each<[string, 'cut' | ReturnType<typeof refusal>]>([
    ['the connection breaks', 'cut'],
    ['the server is overloaded', refusal(503, 'overloaded', { 'retry-after': '0' })],
    ['its quota is used up', refusal(429, 'quota_exceeded', { 'retry-after': '0' })],
    ['something in between answers', { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['its secret is not known at the moment', refusal(401, 'credential_invalid')],
  ])('sends the same batch again, to the byte, when %s', async (_, answer) => {
    const { server, agent } = await shipTo(answer);
    await agent.write('one\n');
    await eventually(() => agent.shipper.state().lines).toBe(1);
    const [first, second] = batches(server);
    expect(second).toEqual(first);
    expect(agent.said('cannot send lines')).toBe(true);
    expect(agent.said('lines can be sent again')).toBe(true);
  });

  it('waits while its secret is rejected, and goes on as soon as the server accepts the agent', async () => {
    const server = await startFakeConsole();
    server.next.push(...Array.from({ length: 8 }, () => refusal(401, 'credential_invalid')));
    const accepted = new WakeSignal();
    // The longest wait: each attempt beyond the first second comes from the signal.
    const agent = await ship(server, { accepted, random: () => 1 });
    await agent.write('one\n');
    for (let sent = 1; sent <= 8; sent += 1) {
      await eventually(() => batches(server).length).toBeGreaterThanOrEqual(sent);
      accepted.notify();
    }
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 1, bytes_waiting: 0, lines_dropped: 0 });
    expect(agent.log.filter((line) => line.includes('cannot send lines'))).toHaveLength(1);
  });

  it('logs the beginning and the end of each outage', async () => {
    const { server, agent } = await shipTo();
    for (const [count, text] of [
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      server.next.push('cut', 'cut');
      await agent.write(`${text}\n`);
      await eventually(() => agent.shipper.state().lines).toBe(count);
    }
    const said = agent.log.flatMap((line) => /cannot send lines|lines can be sent again/.exec(line)?.[0] ?? []);
    expect(said).toEqual([
      'cannot send lines',
      'lines can be sent again',
      'cannot send lines',
      'lines can be sent again',
    ]);
  });

  it('repeats the same batch after a restart when there was no answer', async () => {
    const server = await startFakeConsole();
    server.next.push('hang');
    const first = await ship(server);
    await first.write('one\n');
    await eventually(() => batches(server).length).toBe(1);
    await first.end();
    const second = await ship(server, { dir: first.dir });
    await eventually(() => second.shipper.state().lines).toBe(1);
    expect(batches(server)[1]).toEqual(batches(server)[0]);
  });

  it('waits until this host is enrolled', async () => {
    const server = await startFakeConsole();
    let isEnrolled = false;
    const agent = await ship(server, { isEnrolled: () => isEnrolled });
    await agent.write('one\n');
    await eventually(() => agent.shipper.state().bytes_waiting).toBeGreaterThan(100);
    expect(server.seen).toEqual([]);
    isEnrolled = true;
    await eventually(() => agent.shipper.state().lines).toBe(1);
  });

  it.each([
    [400, 'nothing_accepted'],
    [409, 'idempotency_conflict'],
    [413, 'too_large'],
  ])('gives up a batch that is refused as a whole with %d %s, and sends the next one', async (status, code) => {
    const { server, agent } = await shipTo(refusal(status, code));
    await agent.write('one\n');
    await eventually(() => agent.shipper.state().lines_refused).toBe(1);
    await agent.write('two\n');
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 1, lines_refused: 1, bytes_waiting: 0 });
    expect(textsOf(server)).toEqual([['one'], ['two']]);
    expect(agent.said('the server refused all lines of a batch; they are dropped')).toBe(true);
  });

  it('counts refused lines, and does not repeat them', async () => {
    const server = await startFakeConsole();
    const refused = [0, 2].map((index) => ({ index, message: 'canary' }));
    server.next.push(success({ accepted: 1, refused }), refusal(400, 'nothing_accepted'));
    const agent = await ship(server);
    // The last line waits for the next one, and becomes a batch of its own.
    await agent.write('one\ntwo\nthree\nfour\n');
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 1, lines_refused: 3, bytes_waiting: 0 });
    expect(textsOf(server)).toEqual([['one', 'two', 'three'], ['four']]);
    expect(agent.log.join('')).not.toMatch(/canary|four/);
  });

  it('stops reading when the spool is full, and continues when there is room', async () => {
    const server = await startFakeConsole();
    server.goDown();
    const agent = await ship(server, { spoolMaxBytes: 100 });
    await agent.write('one\n');
    await eventually(() => agent.said('the spool is full')).toBe(true);
    await agent.write('two\n');
    server.comeBack();
    await eventually(() => agent.shipper.state().lines).toBe(2);
    expect(textsOf(server)).toEqual([['one'], ['two']]);
  });
});
