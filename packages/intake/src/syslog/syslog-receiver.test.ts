import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setImmediate as nextRound } from 'node:timers/promises';
import { AppError } from '@quarterdeck/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HOST, sendUdp, until, useReceivers } from '../../test/syslog-receivers.ts';
import type { OnLines } from './line-queue.ts';
import type { SyslogLine } from './syslog-line.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ family }) => family === 'IPv6'));
const { receive, dial, onClose } = useReceivers();

function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  onClose(resolve);
  return { gate: promise, open: resolve };
}

describe('startSyslogReceiver', () => {
  it('receives over UDP, and ignores an empty datagram', async () => {
    const { receiver, lines } = await receive();
    await sendUdp(receiver.port, '', '\n', '<11>Nov 20 11:25:49 gw1 app: hello');
    await until(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ log: 'hello', level: 4, hostname: 'gw1', address: HOST, logTime: 1_795_173_996 });
    expect(receiver.stats()).toMatchObject({ received: 1, stored: 1, dropped: 0, queued: 0 });
  });

  it('receives over TCP on the same port, in both framings', async () => {
    const { receiver, texts } = await receive();
    const socket = await dial(receiver.port);
    socket.write('<11>a: one\n13 <11>a: t\nw\no!<11>a: thr');
    socket.write('ee\n');
    await until(() => expect(texts()).toEqual(['one', 't\nw\no!', 'three']));
    expect(receiver.stats().connections).toBe(1);
  });

  it('stores the unterminated last line of a connection, also after the idle timeout', async () => {
    const { receiver, texts } = await receive({ idleTimeoutMs: 30 });
    (await dial(receiver.port)).end('<11>a: ended');
    await until(() => expect(texts()).toEqual(['ended']));
    const idle = await dial(receiver.port);
    idle.write('<11>a: idle');
    await once(idle, 'close');
    await until(() => expect(texts()).toEqual(['ended', 'idle']));
    await until(() => expect(receiver.stats().connections).toBe(0));
  });

  it.each([
    ['of a sender', undefined],
    ['of a sender that may turn out to be a proxy', '127.0.0.2'],
  ])('reads what arrived before the idle timeout %s, though the process was stalled', async (_, proxies) => {
    const { receiver, texts } = await receive({ idleTimeoutMs: 30, proxies });
    (await dial(receiver.port)).write('<11>a: in time\n');
    for (const sinceMs = performance.now(); performance.now() < sinceMs + 60; );
    await until(() => expect(texts()).toEqual(['in time']));
  });

  it('marks a line that is longer than a frame', async () => {
    const { receiver, texts } = await receive();
    const socket = await dial(receiver.port);
    socket.end(`<11>a: ${'x'.repeat(100_000)}\n<11>a: next\n`);
    await until(() => expect(texts()).toHaveLength(2));
    const [long = '', next] = texts();
    const kept = long.indexOf(' [cut: ');
    expect(long.slice(kept)).toBe(` [cut: ${100_000 - kept} bytes]`);
    expect(next).toBe('next');
  });

  it('finds the host of lines that nginx sends before it knows its name', async () => {
    const { receiver, lines } = await receive();
    await sendUdp(receiver.port, '<11>Nov 20 11:25:49 gw1 nginx: a', '<11>Nov 20 11:25:49  nginx: b');
    await until(() => expect(lines.map((line) => line.sender)).toEqual(['gw1', 'gw1']));
    expect(lines[1]).toMatchObject({ hostname: '', appName: 'nginx' });
  });

  it('keeps datagrams while the queue is full', async () => {
    const { gate, open } = held();
    const { receiver, texts } = await receive({ maxQueuedLines: 5 }, gate);
    await sendUdp(receiver.port, ...Array.from({ length: 50 }, (_, i) => `<11>a: ${i}`));
    await until(() => expect(receiver.stats()).toMatchObject({ received: 5, queued: 5, dropped: 0 }));
    open();
    await until(() => expect(texts()).toEqual(Array.from({ length: 50 }, (_, i) => String(i))));
    expect(receiver.stats().dropped).toBe(0);
  });

  it('drops and counts datagrams when too many wait, and reports it in both logs', async () => {
    const { gate, open } = held();
    let lost = 0;
    const onLost = (stage: string, lines: number) => {
      if (stage === 'udp') lost += lines;
    };
    const limits = { maxQueuedLines: 5, maxWaitingBytes: 100 };
    const { receiver, texts, log, reports } = await receive({ ...limits, onLost }, gate);
    await sendUdp(receiver.port, ...Array.from({ length: 100 }, (_, i) => `<11>a: ${i}`));
    await until(() => expect(receiver.stats().dropped).toBeGreaterThan(50));
    expect(receiver.stats().received).toBeLessThanOrEqual(5);
    expect(log.warn).toHaveBeenCalledOnce();
    open();
    await until(() => expect(receiver.stats().received + receiver.stats().dropped).toBe(100));
    await sendUdp(receiver.port, '<11>a: again');
    await until(() => expect(texts()).toContain('again'));
    await receiver.close();
    expect(texts()).toHaveLength(receiver.stats().received);
    // The first loss is reported at once, the rest ten seconds later or at the end. Each report has its count.
    expect(reports.reduce((sum, { count }) => sum + count, 0)).toBe(receiver.stats().dropped);
    expect(reports[0]).toMatchObject({ level: 4, log: expect.stringMatching(/^\d+ syslog datagrams dropped/) });
    expect(lost).toBe(receiver.stats().dropped);
  });

  it('reports lines that can never be stored', async () => {
    const reports: SyslogLine[] = [];
    const onLines: OnLines = async (batch, sender) => {
      if (sender.hostname !== '' || sender.address !== '') throw new AppError('validation_failed');
      reports.push(...batch);
    };
    const onLost = vi.fn();
    const { receiver } = await receive({ onLines, onLost });
    await sendUdp(receiver.port, '<11>a: x');
    await until(() => expect(reports).toMatchObject([{ log: expect.stringContaining('discarded'), count: 1 }]));
    expect(receiver.stats()).toMatchObject({ refused: 1 });
    expect(onLost.mock.calls).toEqual([['refused', 1, 0]]);
  });

  it('joins the lines of a stack trace over UDP and TCP', async () => {
    // A slow machine may receive the lines farther apart than a program writes them.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver, lines } = await receive();
    const trace = ['Error: no stock', '    at order (/app/shop.js:1:2)', '    at main (/app/main.js:3:4)'];
    await sendUdp(receiver.port, ...trace.map((line) => `<11>Nov 20 11:25:49 gw1 udp: ${line}`));
    const socket = await dial(receiver.port);
    socket.write(trace.map((line) => `<11>Nov 20 11:25:49 gw1 tcp: ${line}\n`).join(''));
    while (receiver.stats().received < 6) await nextRound();
    vi.useRealTimers();
    await receiver.close();
    const spread = lines.flatMap(({ log, count }) => Array.from({ length: count }, () => log));
    expect(spread).toEqual([trace.join('\n'), trace.join('\n')]);
    expect(receiver.stats()).toMatchObject({ received: 6, joined: 4, stored: 2, queued: 0 });
  });

  it('stores lines of too many hosts that it does not know under one name, and reports it', async () => {
    const knownNames = { hosts: ['k'], services: [] };
    const { receiver, lines, reports } = await receive({ newNamesPerHour: 2, knownNames });
    const hosts = ['a', 'b', 'c', 'k', 'd', 'a'];
    await sendUdp(receiver.port, ...hosts.map((host, i) => `<11>Nov 20 11:25:49 ${host} app: ${i}`));
    const stored = () => lines.map(({ sender }) => sender).sort();
    await until(() => expect(stored()).toEqual(['a', 'a', 'b', 'k', 'other', 'other']));
    await receiver.close();
    expect(reports.map(({ count }) => count)).toEqual([1, 1]);
    expect(reports[0]?.log).toContain('under the host "other": too many new names');
    expect(receiver.stats().others).toBe(2);
  });

  it('stores lines of too many new services under one service, for each address', async () => {
    const { receiver, lines, reports } = await receive({ newNamesPerHour: 2 });
    await sendUdp(receiver.port, ...['a', 'b', 'c', 'a'].map((app, i) => `<11>Nov 20 11:25:49 gw1 ${app}: ${i}`));
    (await dial(receiver.port, '127.0.0.2')).end('<11>Nov 20 11:25:49 gw1 d: 4\n');
    await until(() =>
      expect(new Map(lines.map(({ log, service }) => [log, service]))).toEqual(
        new Map(Object.entries({ 0: 'a', 1: 'b', 2: 'other', 3: 'a', 4: 'd' })),
      ),
    );
    expect(reports[0]?.log).toContain('under the service "other": too many new names');
    expect(receiver.stats().others).toBe(1);
  });

  it('makes TCP wait while the queue is full, and loses nothing', async () => {
    const { gate, open } = held();
    const { receiver, texts } = await receive({ maxQueuedLines: 1_000 }, gate);
    const socket = await dial(receiver.port);
    const count = 20_000;
    for (let i = 0; i < count; i += 1_000) {
      socket.write(Array.from({ length: 1_000 }, (_, n) => `<11>a: ${i + n}\n`).join(''));
    }
    const late = await dial(receiver.port);
    late.end('<11>late: late\n');
    await until(() => expect(receiver.stats().received).toBeGreaterThanOrEqual(750));
    // Without back-pressure the rest would arrive in far fewer iterations of the event loop.
    for (let round = 0; round < 500; round += 1) await nextRound();
    expect(receiver.stats().received).toBe(750 + 1);
    open();
    await until(() => expect(texts()).toHaveLength(count + 1));
    const numbers = texts().filter((text) => text !== 'late');
    expect(numbers.every((text, i) => text === String(i))).toBe(true);
    expect(receiver.stats().dropped).toBe(0);
  });

  it('yields to the event loop after a thousand lines', async () => {
    const { receiver, lines } = await receive();
    const socket = await dial(receiver.port);
    const count = 20_000;
    socket.end(Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + (i % 26))}\n`).join(''));
    let most = 0;
    for (let before = 0; before < count; ) {
      await nextRound();
      const { received } = receiver.stats();
      most = Math.max(most, received - before);
      before = received;
    }
    expect(most).toBeLessThanOrEqual(2 * 1_100);
    const stored = () => lines.reduce((sum, line) => sum + line.count, 0);
    await until(() => expect(stored()).toBe(count));
  });

  it('stores equal lines as one with a count', async () => {
    const { receiver, lines } = await receive();
    const socket = await dial(receiver.port);
    socket.end('<11>a: same\n'.repeat(5_000));
    await until(() => expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(5_000));
    expect(lines.length).toBeLessThan(100);
    expect(new Set(lines.map(({ log }) => log))).toEqual(new Set(['same']));
    expect(receiver.stats()).toMatchObject({ received: 5_000, queued: 0 });
    expect(receiver.stats().stored + receiver.stats().joined).toBe(5_000);
  });

  it('refuses connections over the limit, and reports it', async () => {
    const { receiver, reports } = await receive({ maxConnections: 1 });
    await dial(receiver.port);
    const second = await dial(receiver.port);
    await once(second, 'close');
    expect(receiver.stats()).toMatchObject({ connections: 1, refusedConnections: 1 });
    await until(() =>
      expect(reports).toMatchObject([{ log: expect.stringContaining('connections refused'), count: 1 }]),
    );
  });

  it('refuses connections over the limit of one address, and admits others', async () => {
    const { receiver, texts } = await receive({ maxConnectionsPerAddress: 2 });
    const [first] = [await dial(receiver.port), await dial(receiver.port)];
    await once(await dial(receiver.port), 'close');
    expect(receiver.stats()).toMatchObject({ connections: 2, refusedConnections: 1 });
    (await dial(receiver.port, '127.0.0.2')).end('<11>a: elsewhere');
    await until(() => expect(texts()).toEqual(['elsewhere']));
    first?.end('<11>a: first');
    await until(() => expect(receiver.stats().connections).toBe(1));
    (await dial(receiver.port)).end('<11>a: next');
    await until(() => expect(texts()).toEqual(['elsewhere', 'first', 'next']));
  });

  it('admits any number of connections of a trusted proxy', async () => {
    const { receiver } = await receive({ maxConnectionsPerAddress: 1, isTrustedPeer: (address) => address === HOST });
    await dial(receiver.port);
    await dial(receiver.port);
    await until(() => expect(receiver.stats()).toMatchObject({ connections: 2, refusedConnections: 0 }));
  });

  it('stores the received lines before close resolves', async () => {
    const { receiver, texts } = await receive();
    const socket = await dial(receiver.port);
    socket.write('<11>a: tcp\n<11>a: partial');
    await sendUdp(receiver.port, '<11>a: udp');
    await until(() => expect(receiver.stats().received).toBe(2));
    await Promise.all([receiver.close(), receiver.close()]);
    expect(texts().sort()).toEqual(['partial', 'tcp', 'udp']);
  });

  it('reads the datagrams that the system has already received before it closes', async () => {
    const { receiver, texts } = await receive();
    await sendUdp(receiver.port, ...Array.from({ length: 100 }, (_, i) => `<11>a: ${i}`));
    await receiver.close();
    expect(texts()).toHaveLength(100);
  });

  it('reports the lines it could not store before the end', async () => {
    const { log, receiver } = await receive({
      onLines: () => Promise.reject(new Error('down')),
      closeTimeoutMs: 20,
    });
    await sendUdp(receiver.port, '<11>a: x');
    await until(() => expect(receiver.stats().received).toBe(1));
    await receiver.close();
    expect(log.error).toHaveBeenCalledWith({ lines: 1 }, expect.any(String));
    expect(receiver.stats().refused).toBe(1);
  });

  it('names the port in use and the variable to change, and leaves nothing open', async () => {
    const { receiver } = await receive();
    await expect(receive({ port: receiver.port })).rejects.toThrow(
      new RegExp(`${receiver.port} on 127.0.0.1 is already in use.*QUARTERDECK_SYSLOG_PORT`),
    );
    const tcp = createServer().listen(0, HOST);
    onClose(() => void tcp.close());
    await once(tcp, 'listening');
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(receive({ port })).rejects.toThrow('QUARTERDECK_SYSLOG_PORT');
    const udp = createSocket('udp4');
    udp.bind(port, HOST);
    await once(udp, 'listening');
    udp.close();
  });

  it.runIf(hasIpv6)('gives the IPv4 address of a sender when it listens on both families', async () => {
    const { receiver, lines } = await receive({ host: '::' });
    await sendUdp(receiver.port, '<11>a: udp');
    const socket = await dial(receiver.port);
    socket.end('<11>a: tcp\n');
    await until(() => expect(lines.map((line) => line.address)).toEqual([HOST, HOST]));
  });
});
