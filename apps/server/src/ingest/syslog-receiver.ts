// Receives syslog over UDP, TCP and TLS and hands lines over in batches. Bounded: UDP beyond the bound is dropped and
// counted, TCP senders are made to wait. Knows nothing about what happens to the lines.
import type { Server } from 'node:net';
import { LEVEL_ERROR } from '@quarterdeck/core';
import { plainAddress } from '../net/address-blocks.ts';
import type { KeyPair } from '../net/tls.ts';
import { AddressLimit } from './address-limit.ts';
import { type BoundSockets, bindSyslog, portOf } from './bind-syslog.ts';
import { bindTls, type SyslogTls } from './bind-tls.ts';
import { mergeEqualLines } from './equal-lines.ts';
import { KnownHosts } from './known-hosts.ts';
import { LineQueue, type Log, type OnLines, OWN } from './line-queue.ts';
import { MultiLine } from './multi-line.ts';
import { OccasionalReport } from './occasional-report.ts';
import { type AdmitSocket, admitAll, ProxyGate } from './proxy-gate.ts';
import { SenderNames } from './sender-names.ts';
import { parseSyslog } from './syslog-line.ts';
import { SystemDrops } from './system-drops.ts';
import { TcpConnections } from './tcp-connections.ts';

export interface SyslogReceiverOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** TLS on a port of its own, beside UDP and TCP; none without. */
  tls?: SyslogTls | undefined;
  /**
   * Blocks of the addresses of proxies, separated by spaces, which begin each TCP and TLS connection with a header of the PROXY
   * protocol. It is refused from others; undefined = it is nothing but a line.
   */
  proxies?: string | undefined;
  /**
   * Called with batches of one sender, one at a time for each sender and up to 16 at once in all; the lines of one
   * program in order. The sender `OWN` is this server, which tells what it had to drop.
   */
  onLines: OnLines;
  log: Log;
  /** Unix seconds. */
  now?: () => number;
  maxQueuedLines?: number;
  /** Bytes of datagrams that may wait while the queue is full; beyond, they are dropped and counted. */
  maxWaitingBytes?: number | undefined;
  /** TCP connections; as many for TLS. */
  maxConnections?: number;
  /** Connections of one address, TCP and TLS together. */
  maxConnectionsPerAddress?: number;
  /** Trusted proxies: no bound per address holds for them. */
  isTrustedPeer?: (address: string) => boolean;
  /** So many new senders may turn up within an hour; the messages of others are kept under one name. */
  newSendersPerHour?: number;
  idleTimeoutMs?: number;
  closeTimeoutMs?: number;
  proxyHeaderTimeoutMs?: number;
}

/** Everything since the start, except `queued` and `connections`, which are now. */
export interface SyslogStats {
  received: number;
  /** Datagrams thrown away because the queue was full and too many waited for it. */
  dropped: number;
  /** Datagrams the system threw away before we could read them. Known on Linux, and up to ten seconds old. */
  droppedBySystem: number;
  /** Lines that could not be stored and were given up: refused for good, or left at the end. */
  refused: number;
  stored: number;
  /** Lines that became part of another one: a stack trace is stored as one line, equal lines in a row as one with a count. */
  joined: number;
  /** Messages kept under a common name because there were too many new senders. */
  others: number;
  retries: number;
  queued: number;
  connections: number;
  refusedConnections: number;
  /** TLS connections whose handshake failed. */
  refusedHandshakes: number;
  /** Connections without the PROXY header that is demanded, or with one that is refused. */
  refusedProxyHeaders: number;
  receiveBufferBytes: number;
}

export interface SyslogReceiver {
  port: number;
  tlsPort: number | undefined;
  stats(): SyslogStats;
  /** New TLS connections get this certificate. @throws ConfigError that names the settings; then the old one stays */
  renew(pair: KeyPair): void;
  /** Stops receiving, stores what has been received, and resolves then, or after the time for it is over. */
  close(): Promise<void>;
}

/** TCP waits from here on, so that the rest of the room is for UDP, which cannot wait. */
const PAUSE_AT = 0.75;
const RESUME_AT = 0.5;

/**
 * Starts receiving.
 * @throws Error that names the port and QUARTERDECK_SYSLOG_PORT when the port cannot be had
 */
export async function startSyslogReceiver(options: SyslogReceiverOptions): Promise<SyslogReceiver> {
  const { log, maxConnections = 1_000, maxConnectionsPerAddress = 500 } = options;
  const { closeTimeoutMs = 8_000, idleTimeoutMs = 15 * 60_000 } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const connections = new TcpConnections(idleTimeoutMs, receive);
  /** Says it in the log and, so that nobody has to look there, in the error log. `count` is how many are lost. */
  function tell(count: number, total: number, what: string): void {
    log.warn({ count, total }, what);
    const text = `${count} ${what}`;
    queue.add(
      { level: LEVEL_ERROR, log: text, logTime: now(), appId: 0, reqId: '', count, hostname: '', appName: '' },
      OWN.address,
      OWN.hostname,
    );
  }
  const reporter = (what: string) => (count: number, total: number) => tell(count, total, what);
  const drops = new OccasionalReport(reporter('syslog datagrams dropped: they come faster than they can be stored'));
  const refusals = new OccasionalReport(reporter('syslog lines given up: they cannot be stored'));
  const turnedAway = new OccasionalReport(reporter('syslog connections refused: there are as many as may be open'));
  const handshakes = new OccasionalReport((count, total) =>
    log.warn({ count, total, err: lastHandshake }, 'syslog connections refused: their TLS handshake failed'),
  );
  let lastHandshake: Error | undefined;
  const proxyHeaders = new OccasionalReport((count, total) =>
    log.warn({ count, total, ...lastProxy }, 'syslog connections refused by the rules of the PROXY protocol'),
  );
  let lastProxy: { address: string; reason: string } | undefined;
  const gate =
    options.proxies === undefined
      ? undefined
      : new ProxyGate({
          ...{ trusted: options.proxies, headerTimeoutMs: options.proxyHeaderTimeoutMs, idleTimeoutMs },
          onRefused: (reason, address) => {
            lastProxy = { address, reason };
            proxyHeaders.count();
          },
        });
  const letIn = gate?.admit ?? admitAll;
  const addresses = new AddressLimit(maxConnectionsPerAddress, options.isTrustedPeer);
  const admit: AdmitSocket = (socket, onAdmitted) => {
    if (addresses.admit(socket)) letIn(socket, onAdmitted);
    else turnedAway.count();
  };
  let bound: BoundSockets | undefined;
  const queue = new LineQueue({
    onLines: (lines, sender) => options.onLines(mergeEqualLines(lines), sender),
    log,
    onSpace: () => {
      if (queue.fill <= RESUME_AT) connections.resume();
      bound?.udp.resume();
    },
    onRefused: () => refusals.count(),
    ...(options.maxQueuedLines === undefined ? {} : { maxLines: options.maxQueuedLines }),
  });
  const joiner = new MultiLine({ onLine: (line, address, hostname) => queue.add(line, address, hostname) });
  const hosts = new KnownHosts();
  const senders = new SenderNames({
    onOther: (count) => tell(count, senders.others, 'syslog messages kept under "other": too many new senders'),
    ...(options.newSendersPerHour === undefined ? {} : { newPerHour: options.newSendersPerHour }),
  });
  let received = 0;

  function receive(bytes: Uint8Array, lostBytes: number, address: string, times = 1): void {
    const at = now();
    const line = parseSyslog(bytes, at, lostBytes);
    if (line === null) return;
    received += times;
    const sender = senders.admit(address, hosts.nameOf(address, line.hostname), at);
    joiner.add(line, sender.address, sender.hostname, times);
    if (queue.fill >= PAUSE_AT) connections.pause();
  }

  const udpHandlers = {
    mayTake: () => queue.fill < 1 && queue.room > joiner.size,
    onDatagram: (bytes: Uint8Array, address: string) => receive(bytes, 0, plainAddress(address) ?? address),
    onDropped: (count: number) => drops.count(count),
    onError: (error: Error) => log.error({ err: error }, 'The syslog UDP socket has failed'),
  };
  bound = await bindSyslog(
    options.host,
    options.port,
    (connection) => admit(connection, (socket, address, first) => connections.accept(socket, address, first)),
    () => udpHandlers,
    options.maxWaitingBytes,
  ).catch((error: unknown) => {
    connections.close();
    throw error;
  });
  const { udp, tcp, port, isIpv6 } = bound;
  const { receiveBufferBytes } = udp;
  const { tls } = options;
  const secure = await (
    tls &&
    bindTls(options.host, tls, {
      admit,
      onConnection: (socket, address) => connections.accept(socket, address),
      onRefused: (error) => {
        lastHandshake = error;
        handshakes.count();
      },
    })
  )?.catch((error: unknown) => {
    connections.close();
    void udp.close();
    tcp.close();
    throw error;
  });
  const systemDrops = new SystemDrops(
    port,
    isIpv6,
    reporter('syslog datagrams dropped by the system: they come faster than they can be read'),
  );
  tcp.on('error', (error) => log.error({ err: error }, 'The syslog TCP socket has failed'));
  const servers = secure === undefined ? [tcp] : [tcp, secure.tcp];
  for (const server of servers) {
    server.maxConnections = maxConnections;
    server.on('drop', () => turnedAway.count());
  }
  secure?.tcp.on('error', (error) => log.error({ err: error }, 'The syslog TLS socket has failed'));
  const tlsPort = secure === undefined ? undefined : portOf(secure.tcp);
  log.info({ host: options.host, port, receiveBufferBytes }, 'Receiving syslog over UDP and TCP');

  async function stop(): Promise<void> {
    await udp.drain();
    // Known only as long as the socket is open.
    await systemDrops.check();
    systemDrops.close();
    await udp.close();
    gate?.close();
    secure?.closeHandshakes();
    await closeServers(servers, connections);
    joiner.flush();
    // What has been dropped since the last report is told before the queue closes.
    for (const report of [drops, refusals, senders, turnedAway, handshakes, proxyHeaders]) report.close();
    const lost = await queue.close(closeTimeoutMs);
    if (lost > 0) log.error({ lines: lost }, 'Received log lines could not be stored before the end');
  }
  let stopped: Promise<void> | undefined;

  return {
    port,
    tlsPort,
    stats: () => ({
      received,
      dropped: drops.total,
      droppedBySystem: systemDrops.total,
      ...queue.counts,
      joined: joiner.joined,
      others: senders.others,
      retries: queue.retries,
      queued: queue.size + joiner.size,
      connections: connections.size,
      refusedConnections: turnedAway.total,
      refusedHandshakes: handshakes.total,
      refusedProxyHeaders: proxyHeaders.total,
      receiveBufferBytes,
    }),
    renew: (pair) => secure?.renew(pair),
    close: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function closeServers(servers: readonly Server[], connections: TcpConnections): Promise<void> {
  const closed = servers.map((server) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    return promise;
  });
  connections.close();
  await Promise.all(closed);
}
