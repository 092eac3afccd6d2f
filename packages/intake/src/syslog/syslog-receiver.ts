// Receives syslog over UDP, TCP and TLS and delivers lines in batches. At its limit it drops and counts UDP datagrams,
// and lets TCP senders wait. It does not store lines itself.
import type { Server, Socket } from 'node:net';
import { LEVEL_ERROR } from '@quarterdeck/core';
import { plainAddress } from '@quarterdeck/core/addresses';
import type { KeyPair } from '@quarterdeck/core/tls';
import { RateLimitedReport } from '../base/rate-limited-report.ts';
import { AddressLimit } from './address-limit.ts';
import { type BoundSockets, bindSyslog, inheritSyslog, portOf, type SyslogSockets } from './bind-syslog.ts';
import { bindTls, type SyslogTls } from './bind-tls.ts';
import { mergeEqualLines } from './equal-lines.ts';
import { KnownHosts } from './known-hosts.ts';
import { LineQueue, type Log, type OnLines, SELF } from './line-queue.ts';
import { MultiLine } from './multi-line.ts';
import { type AdmitSocket, admitAll, ProxyGate } from './proxy-gate.ts';
import { parseSyslog } from './syslog-line.ts';
import { type KnownNames, SyslogNames } from './syslog-names.ts';
import { CHECK_S, dropsBefore, SystemDrops } from './system-drops.ts';
import { TcpConnections } from './tcp-connections.ts';

export interface SyslogReceiverOptions {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** Sockets that this process has inherited, in place of host and port. */
  sockets?: SyslogSockets | undefined;
  /** TLS on a separate port, beside UDP and TCP; undefined = no TLS. */
  tls?: SyslogTls | undefined;
  /**
   * Address blocks of proxies, separated by spaces. They begin each TCP and TLS connection with a header of the PROXY
   * protocol, which is refused from others. Undefined = the header is an ordinary line.
   */
  proxies?: string | undefined;
  /**
   * Stores a batch of one sender. It is called for one batch of a sender at a time and for up to 16 in total. The lines
   * of one program are in order. The sender `SELF` is this server, which reports dropped messages.
   */
  onLines: OnLines;
  /** Called for lines lost within the last seconds: datagrams, or lines that were discarded. */
  onLost?: (stage: 'udp' | 'refused', lines: number, withinS: number) => void;
  log: Log;
  /** Unix seconds. */
  now?: () => number;
  maxQueuedLines?: number;
  /** Bytes of datagrams that may wait while the queue is full; further ones are dropped and counted. */
  maxWaitingBytes?: number | undefined;
  /** Maximum TCP connections, and maximum TLS connections. */
  maxConnections?: number;
  /** Maximum connections of one address, TCP and TLS together. */
  maxConnectionsPerAddress?: number;
  /** Selects trusted proxies, which have no limit per address. */
  isTrustedPeer?: (address: string) => boolean;
  /** Maximum new names of hosts, and of services, from one address in an hour, see `SenderNames`. */
  newNamesPerHour?: number;
  /** Hosts that are not new, the oldest first. */
  knownNames?: KnownNames;
  idleTimeoutMs?: number;
  closeTimeoutMs?: number;
  proxyHeaderTimeoutMs?: number;
}

/** Counts since the start, except `queued` and `connections`, which are current values. */
export interface SyslogStats {
  received: number;
  /** Datagrams dropped because the queue was full and too many waited for it. */
  dropped: number;
  /** Datagrams that the system dropped before this process could read them (Linux only, up to ten seconds old). */
  droppedBySystem: number;
  /** Discarded lines: those that can never be stored, and those not stored before the end. */
  refused: number;
  stored: number;
  /** Lines that became part of another one: stack traces, and equal lines in a row, which become one with a count. */
  joined: number;
  /** Lines whose host or service was replaced because of too many new names. */
  others: number;
  retries: number;
  queued: number;
  connections: number;
  refusedConnections: number;
  /** TLS connections with a failed handshake. */
  refusedHandshakes: number;
  /** Connections without a required PROXY header, or with a refused one. */
  refusedProxyHeaders: number;
  receiveBufferBytes: number;
}

export interface SyslogReceiver {
  port: number;
  tlsPort: number | undefined;
  stats(): SyslogStats;
  /** Sets the certificate of new TLS connections. @throws ConfigError that names the settings; the old one stays */
  renew(pair: KeyPair): void;
  /** Stops receiving and stores the received lines. Resolves after that, or after the time limit. */
  close(): Promise<void>;
}

/** Fill level at which TCP waits: the rest of the queue is for UDP, which cannot wait. */
const PAUSE_AT = 0.75;
const RESUME_AT = 0.5;

/**
 * Starts receiving.
 *
 * @throws Error that names the port and QUARTERDECK_SYSLOG_PORT if the port is not available
 */
export async function startSyslogReceiver(options: SyslogReceiverOptions): Promise<SyslogReceiver> {
  const { log, maxConnections = 1_000, maxConnectionsPerAddress = 500 } = options;
  const { closeTimeoutMs = 8_000, idleTimeoutMs = 15 * 60_000 } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const connections = new TcpConnections(idleTimeoutMs, receive);
  /** Reports a loss of `count` messages in the server's log, and as an error group of the server. */
  function reportLoss(count: number, total: number, what: string): void {
    log.warn({ count, total }, what);
    const text = `${count} ${what}`;
    queue.add(
      { level: LEVEL_ERROR, log: text, logTime: now(), appId: 0, reqId: '', count, hostname: '', appName: '' },
      SELF.address,
      SELF.hostname,
    );
  }
  const reporter = (what: string) => (count: number, total: number) => reportLoss(count, total, what);
  const drops = new RateLimitedReport(reporter('syslog datagrams dropped: they arrive faster than they can be stored'));
  const refusals = new RateLimitedReport(reporter('syslog lines discarded: they can never be stored'));
  const refusedConnections = new RateLimitedReport(reporter('syslog connections refused: too many are open'));
  const handshakes = new RateLimitedReport((count, total) =>
    log.warn({ count, total, err: lastHandshake }, 'syslog connections refused: their TLS handshake failed'),
  );
  let lastHandshake: Error | undefined;
  const proxyHeaders = new RateLimitedReport((count, total) =>
    log.warn({ count, total, ...lastProxy }, 'syslog connections refused: they break the rules of the PROXY protocol'),
  );
  let lastProxy: { address: string; reason: string } | undefined;
  const gate =
    options.proxies === undefined
      ? undefined
      : new ProxyGate({
          trusted: options.proxies,
          headerTimeoutMs: options.proxyHeaderTimeoutMs,
          idleTimeoutMs,
          onRefused: (reason, address) => {
            lastProxy = { address, reason };
            proxyHeaders.count();
          },
        });
  const admitChecked = gate?.admit ?? admitAll;
  const addresses = new AddressLimit(maxConnectionsPerAddress, options.isTrustedPeer);
  const admit: AdmitSocket = (socket, onAdmitted) => {
    if (addresses.admit(socket)) admitChecked(socket, onAdmitted);
    else refusedConnections.count();
  };
  let bound: BoundSockets | undefined;
  const queue = new LineQueue({
    onLines: (lines, sender) => options.onLines(mergeEqualLines(lines), sender),
    log,
    onSpace: () => {
      if (queue.fill <= RESUME_AT) connections.resume();
      bound?.udp.resume();
    },
    onRefused: () => {
      refusals.count();
      options.onLost?.('refused', 1, 0);
    },
    ...(options.maxQueuedLines === undefined ? {} : { maxLines: options.maxQueuedLines }),
  });
  const names = new SyslogNames(options.newNamesPerHour, (count, total, kind) =>
    reportLoss(count, total, `syslog lines stored under the ${kind} "other": too many new names`),
  );
  if (options.knownNames !== undefined) names.know(options.knownNames);
  const joiner = new MultiLine({
    onLine: (line, address, hostname) => {
      const sender = names.admit(line, address, hostname, now());
      queue.add(line, sender.address, sender.hostname);
    },
  });
  const hosts = new KnownHosts();
  let received = 0;

  function receive(bytes: Uint8Array, lostBytes: number, address: string, times = 1): void {
    const at = now();
    const line = parseSyslog(bytes, at, lostBytes);
    if (line === null) return;
    received += times;
    joiner.add(line, address, hosts.nameOf(address, line.hostname), times);
    if (queue.fill >= PAUSE_AT) connections.pause();
  }

  const udpHandlers = {
    hasRoom: () => queue.fill < 1 && queue.room > joiner.size,
    onDatagram: (bytes: Uint8Array, address: string) => receive(bytes, 0, plainAddress(address) ?? address),
    onDropped(count: number) {
      drops.count(count);
      options.onLost?.('udp', count, 0);
    },
    onError: (error: Error) => log.error({ err: error }, 'The syslog UDP socket has failed'),
  };
  const { tls, sockets, host, maxWaitingBytes } = options;
  const onConnection = (connection: Socket) =>
    admit(connection, (socket, address, first) => connections.accept(socket, address, first));
  bound = await (sockets === undefined
    ? bindSyslog(host, options.port, onConnection, () => udpHandlers, maxWaitingBytes)
    : inheritSyslog(sockets, onConnection, () => udpHandlers, maxWaitingBytes)
  ).catch((error: unknown) => {
    connections.close();
    throw error;
  });
  const { udp, tcp, port } = bound;
  const { receiveBufferBytes, isIpv6 } = udp;
  const secure = await (
    tls &&
    bindTls(host, tls, {
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
  const reportSystemDrops = reporter(
    'syslog datagrams dropped by the system: they arrive faster than they can be read',
  );
  const onSystemDrops = (count: number, total: number) => {
    reportSystemDrops(count, total);
    options.onLost?.('udp', count, CHECK_S);
  };
  const before = sockets === undefined ? 0 : await dropsBefore(port, isIpv6);
  const systemDrops = new SystemDrops(port, isIpv6, onSystemDrops, before);
  tcp.on('error', (error) => log.error({ err: error }, 'The syslog TCP socket has failed'));
  const servers = secure === undefined ? [tcp] : [tcp, secure.tcp];
  for (const server of servers) {
    server.maxConnections = maxConnections;
    server.on('drop', () => refusedConnections.count());
  }
  secure?.tcp.on('error', (error) => log.error({ err: error }, 'The syslog TLS socket has failed'));
  const tlsPort = secure === undefined ? undefined : portOf(secure.tcp);
  log.info({ host, port, receiveBufferBytes }, 'Receiving syslog over UDP and TCP');

  async function stop(): Promise<void> {
    await udp.drain();
    // The system counts drops only while the socket is open.
    await systemDrops.check();
    systemDrops.close();
    await udp.close();
    gate?.close();
    secure?.closeHandshakes();
    await closeServers(servers, connections);
    joiner.flush();
    // Report the losses since the last report before the queue closes.
    for (const report of [drops, refusals, names, refusedConnections, handshakes, proxyHeaders]) report.close();
    const lost = await queue.close(closeTimeoutMs);
    if (lost === 0) return;
    log.error({ lines: lost }, 'Log lines were not stored before the end');
    options.onLost?.('refused', lost, Math.ceil(closeTimeoutMs / 1000));
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
      others: names.others,
      retries: queue.retries,
      queued: queue.size + joiner.size,
      connections: connections.size,
      refusedConnections: refusedConnections.total,
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
