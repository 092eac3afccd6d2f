// The shipper against a server on a real socket that answers as a test wants.
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLink } from '../../src/link.ts';
import { createLog } from '../../src/log.ts';
import { openShipper } from '../../src/ship/shipper.ts';
import { type FakeConsole, refusal, secretNumber, startFakeConsole, success } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';

const SECRET = secretNumber(1);

interface Options {
  readonly dir?: string;
  readonly spoolMaxBytes?: number;
  readonly isEnrolled?: () => boolean;
}

/** Starts shipping `logs/*.log` of a folder; ends with the test. */
async function ship(server: FakeConsole, options: Options = {}) {
  const { dir = await temporaryFolder(), spoolMaxBytes = 1024 * 1024, isEnrolled = () => true } = options;
  await mkdir(join(dir, 'logs'), { recursive: true });
  const stop = new AbortController();
  const lines: string[] = [];
  const shipper = await openShipper({
    files: [join(dir, 'logs', '*.log')],
    agentDir: join(dir, 'agent'),
    spoolMaxBytes,
    link: openLink({ url: server.url, consoleUrl: server.url, version: '0.1.0' }),
    enrolment: () => (isEnrolled() ? { server: server.url, id: 7, secret: SECRET, interval: 30 } : undefined),
    log: createLog({ write: (line) => void lines.push(line) }, 'debug', false),
    random: () => 0,
    now: Date.now,
    lookEveryMs: 20,
    signal: stop.signal,
  });
  const ended = shipper.run();
  const end = async () => {
    stop.abort();
    await ended;
  };
  onTestFinished(end);
  return {
    dir,
    shipper,
    end,
    log: lines,
    write: (text: string) => appendFile(join(dir, 'logs', 'a.log'), text),
    said: (message: string) => lines.some((line) => line.includes(message)),
  };
}

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 });

const batches = (server: FakeConsole) => server.seen.filter(({ what }) => what === 'errlog');
const textsOf = (server: FakeConsole) =>
  batches(server).map(({ body }) => (body as { log: string }[]).map(({ log }) => log));

describe('log shipping', () => {
  it('sends what is written as NDJSON, compressed, with the secret and a key', async () => {
    const server = await startFakeConsole();
    const agent = await ship(server);
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
      lines: 2,
      bytes_waiting: 0,
      lines_dropped: 0,
      lines_refused: 0,
    });
  });

  it.each<[string, 'cut' | ReturnType<typeof refusal>]>([
    ['the connection breaks', 'cut'],
    ['the server is overloaded', refusal(503, 'overloaded', { 'retry-after': '0' })],
    ['its quota is used up', refusal(429, 'quota_exceeded', { 'retry-after': '0' })],
    ['something in between answers', { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['its secret is not known at the moment', refusal(401, 'credential_invalid')],
  ])('sends the same batch again, to the byte, when %s', async (_, answer) => {
    const server = await startFakeConsole();
    server.next.push(answer);
    const agent = await ship(server);
    await agent.write('one\n');
    await eventually(() => agent.shipper.state().lines).toBe(1);
    const [first, second] = batches(server);
    expect(second).toEqual(first);
    expect(agent.said('lines cannot be sent')).toBe(true);
    expect(agent.said('lines are taken again')).toBe(true);
  });

  it('sends the same batch after a restart when there was no answer', async () => {
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

  it('counts what the server refuses, and does not repeat it', async () => {
    const server = await startFakeConsole();
    server.next.push(
      success({ accepted: 1, refused: [{ index: 0, message: 'canary' }] }),
      refusal(400, 'nothing_accepted'),
    );
    const agent = await ship(server);
    await agent.write('one\n');
    await eventually(() => agent.shipper.state().lines_refused).toBe(1);
    await agent.write('two\n');
    await eventually(() => agent.shipper.state().lines_refused).toBe(2);
    await eventually(() => agent.shipper.state()).toMatchObject({ lines: 1, bytes_waiting: 0 });
    expect(agent.log.join('')).not.toMatch(/canary|two/);
  });

  it('stops reading when its place on the disk is full, and goes on when there is room', async () => {
    const server = await startFakeConsole();
    await server.stop();
    const agent = await ship(server, { spoolMaxBytes: 100 });
    await agent.write('one\n');
    await eventually(() => agent.said('what waits to be sent fills its place')).toBe(true);
    await agent.write('two\n');
    await server.start();
    await eventually(() => agent.shipper.state().lines).toBe(2);
    expect(textsOf(server)).toEqual([['one'], ['two']]);
  });
});
