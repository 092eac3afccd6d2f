// Receives syslog over UDP and TCP and hands lines over in batches. Bounded: UDP beyond the bound is dropped and
// counted, TCP senders are made to wait. Knows nothing about what happens to the lines.
import type { Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bindSyslog } from './bind-syslog.ts';
import { KnownHosts } from './known-hosts.ts';
import { LineQueue, type Log, type OnLines } from './line-queue.ts';
import { OccasionalReport } from './occasional-report.ts';
import { parseSyslog } from './syslog-line.ts';
import { SystemDrops } from './system-drops.ts';
import { plainAddress, TcpConnections } from './tcp-connections.ts';

export interface SyslogReceiverOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** Called with batches of one sender, in order, one at a time for each sender and up to 16 at once in all. */
  onLines: OnLines;
  log: Log;
  /** Unix seconds. */
  now?: () => number;
  maxQueuedLines?: number;
  maxConnections?: number;
  idleTimeoutMs?: number;
  closeTimeoutMs?: number;
}

/** Everything since the start, except `queued` and `connections`, which are now. */
export interface SyslogStats {
  received: number;
  /** Datagrams thrown away because the queue was full. */
  dropped: number;
  /** Datagrams the system threw away before we could read them. Known on Linux, and up to ten seconds old. */
  droppedBySystem: number;
  /** Lines that could not be stored and were given up: refused for good, or left at the end. */
  refused: number;
  stored: number;
  retries: number;
  queued: number;
  connections: number;
  refusedConnections: number;
  receiveBufferBytes: number;
}

export interface SyslogReceiver {
  port: number;
  stats(): SyslogStats;
  /** Stops receiving, stores what has been received, and resolves then, or after the time for it is over. */
  close(): Promise<void>;
}

/** TCP waits from here on, so that the rest of the room is for UDP, which cannot wait. */
const PAUSE_AT = 0.75;
const RESUME_AT = 0.5;
const DRAIN_MS = 250;

/**
 * Starts receiving.
 * @throws Error that names the port and QUARTERDECK_SYSLOG_PORT when the port cannot be had
 */
export async function startSyslogReceiver(options: SyslogReceiverOptions): Promise<SyslogReceiver> {
  const { log, maxConnections = 1_000, closeTimeoutMs = 8_000 } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const connections = new TcpConnections(options.idleTimeoutMs ?? 15 * 60_000, receive);
  const drops = new OccasionalReport((dropped, total) =>
    log.warn({ dropped, total }, 'Syslog datagrams dropped: they come faster than they can be stored'),
  );
  const queue = new LineQueue({
    onLines: options.onLines,
    log,
    onSpace: () => {
      if (queue.fill <= RESUME_AT) connections.resume();
    },
    ...(options.maxQueuedLines === undefined ? {} : { maxLines: options.maxQueuedLines }),
  });
  const hosts = new KnownHosts();
  let received = 0;
  let refusedConnections = 0;

  function receive(bytes: Uint8Array, lostBytes: number, address: string): void {
    const line = parseSyslog(bytes, now(), lostBytes);
    if (line === null) return;
    received += 1;
    queue.add(line, address, hosts.nameOf(address, line.hostname));
    if (queue.fill >= PAUSE_AT) connections.pause();
  }

  const { udp, tcp, port, receiveBufferBytes } = await bindSyslog(options.host, options.port, (socket) =>
    connections.accept(socket),
  ).catch((error: unknown) => {
    connections.close();
    throw error;
  });
  const systemDrops = new SystemDrops(port, udp.address().family === 'IPv6', (dropped, total) =>
    log.warn({ dropped, total }, 'Syslog datagrams dropped by the system: they come faster than they can be read'),
  );
  let datagrams = 0;
  udp.on('message', (bytes, from) => {
    datagrams += 1;
    if (queue.fill >= 1) drops.count();
    else receive(bytes, 0, plainAddress(from.address));
  });
  udp.on('error', (error) => log.error({ err: error }, 'The syslog UDP socket has failed'));
  tcp.on('error', (error) => log.error({ err: error }, 'The syslog TCP socket has failed'));
  tcp.maxConnections = maxConnections;
  tcp.on('drop', () => {
    refusedConnections += 1;
  });
  log.info({ host: options.host, port, receiveBufferBytes }, 'Receiving syslog over UDP and TCP');

  async function stop(): Promise<void> {
    // What the system has already taken from the network for us is read before the socket goes.
    const drainUntil = Date.now() + DRAIN_MS;
    for (let seen = -1; seen !== datagrams && Date.now() < drainUntil; ) {
      seen = datagrams;
      await nextTurn();
      await nextTurn();
    }
    await systemDrops.check();
    systemDrops.close();
    udp.close();
    await closeServer(tcp, connections);
    const lost = await queue.close(closeTimeoutMs);
    drops.close();
    if (lost > 0) log.error({ lines: lost }, 'Received log lines could not be stored before the end');
  }
  let stopped: Promise<void> | undefined;

  return {
    port,
    stats: () => ({
      received,
      dropped: drops.total,
      droppedBySystem: systemDrops.total,
      ...queue.counts,
      retries: queue.retries,
      queued: queue.size,
      connections: connections.size,
      refusedConnections,
      receiveBufferBytes,
    }),
    close: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function closeServer(tcp: Server, connections: TcpConnections): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  tcp.close(() => resolve());
  connections.close();
  await promise;
}
