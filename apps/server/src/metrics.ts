// Metrics for Prometheus. Each part of the server keeps its own counts; a request collects them.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ConnectionStats } from './http/connection-guard.ts';
import type { SyslogStats } from './ingest/syslog-receiver.ts';

/** Sources of the numbers. */
export interface MetricSources {
  /** Answers so far, by HTTP status. */
  readonly answers: () => ReadonlyMap<number, number>;
  readonly connections: () => ConnectionStats;
  readonly intake: () => IntakeStats;
  /** Undefined without a syslog receiver. */
  readonly syslog: () => SyslogStats | undefined;
  readonly subscribers: () => number;
}

/** Counts of the intake since the start. */
export interface IntakeStats {
  /** Durable lines. */
  readonly stored: number;
  /** Writes of these lines. */
  readonly writes: number;
  /** Bytes of lines that wait for the database. */
  readonly inFlightBytes: number;
  /** Refused batches: too many bytes were waiting, or their source had reached its quota. */
  readonly turnedAway: number;
}

/** Syslog: a name of {@link SyslogStats} -> its name in Prometheus. */
const SYSLOG_COUNTERS = {
  received: 'Messages received',
  stored: 'Lines stored',
  joined: 'Lines that became part of another one: of a stack trace, or of an equal line before',
  dropped: 'Datagrams thrown away because the queue was full',
  droppedBySystem: 'Datagrams the system threw away before they could be read',
  refused: 'Lines that could not be stored and were given up',
  others: 'Messages kept under a common name because there were too many new senders',
  retries: 'Attempts to store that failed and were made again',
  refusedConnections: 'Connections refused because there were too many',
  refusedHandshakes: 'TLS connections whose handshake failed',
  refusedProxyHeaders: 'TCP and TLS connections refused by the rules of the PROXY protocol',
} as const satisfies Partial<Record<keyof SyslogStats, string>>;

const SYSLOG_GAUGES = {
  queued: 'Lines that wait to be stored',
  connections: 'Open TCP connections',
} as const satisfies Partial<Record<keyof SyslogStats, string>>;

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Creates the registry of a server. */
export function createMetrics({ answers, connections, intake, syslog, subscribers }: MetricSources): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  /** Registers a count that another part keeps. */
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  new Counter({
    name: 'quarterdeck_http_answers_total',
    help: 'JSON answers by HTTP status',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, n] of answers()) this.inc({ status }, n);
    },
  });
  gauge('quarterdeck_http_connections', 'Open connections', () => connections().open);
  gauge(
    'quarterdeck_http_connections_credentialed',
    'Open connections whose last request had a valid credential',
    () => connections().credentialed,
  );
  counter(
    'quarterdeck_http_connections_evicted_total',
    'Connections closed to make room for others',
    () => connections().evicted,
  );
  counter(
    'quarterdeck_http_connections_refused_total',
    'Connections refused because as many were open as may be',
    () => connections().refused,
  );
  counter('quarterdeck_intake_lines_total', 'Log lines stored', () => intake().stored);
  counter('quarterdeck_intake_writes_total', 'Writes of log lines to the database', () => intake().writes);
  counter('quarterdeck_intake_turned_away_total', 'Batches of log lines turned away', () => intake().turnedAway);
  gauge('quarterdeck_intake_in_flight_bytes', 'Log lines on their way to the database', () => intake().inFlightBytes);
  gauge('quarterdeck_event_subscribers', 'Open event streams', subscribers);
  if (syslog() !== undefined) {
    for (const [name, help] of Object.entries(SYSLOG_COUNTERS)) {
      const read = () => syslog()?.[name as keyof SyslogStats] ?? 0;
      counter(`quarterdeck_syslog_${snakeCase(name)}_total`, help, read);
    }
    for (const [name, help] of Object.entries(SYSLOG_GAUGES)) {
      gauge(`quarterdeck_syslog_${snakeCase(name)}`, help, () => syslog()?.[name as keyof SyslogStats] ?? 0);
    }
  }
  return registry;
}
