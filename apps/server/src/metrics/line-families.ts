// Metrics of received log lines.
import { levelName } from '@quarterdeck/core';
import type { SyslogStats } from '@quarterdeck/intake/syslog';
import type { IntakeStats } from '../features/errlog/intake/intake.ts';
import { byLabel, type Family, type Sample, single } from './family.ts';

/** Syslog: a name of {@link SyslogStats} -> its meaning. */
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

/** Log lines of all kinds of senders. */
export function lineFamilies(intake: () => IntakeStats, syslog: () => SyslogStats | undefined): readonly Family[] {
  return [
    {
      name: 'quarterdeck_lines_total',
      help: 'Log lines by level and outcome: stored, repeated, over_quota, unreadable',
      type: 'counter',
      read: () => linesOf(intake()),
    },
    byLabel('counter', 'quarterdeck_lines_dropped_total', 'Log lines that were lost by reason', 'reason', () => {
      const { lines } = intake();
      const { dropped = 0, droppedBySystem = 0, refused = 0 } = syslog() ?? {};
      return {
        unreadable: lines.unreadable,
        over_quota: sum(lines.overQuota),
        syslog_queue_full: dropped,
        syslog_system: droppedBySystem,
        syslog_unstorable: refused,
      };
    }),
    single('counter', 'quarterdeck_intake_lines_total', 'Log lines stored', () => intake().stored),
    single('counter', 'quarterdeck_intake_writes_total', 'Writes of log lines to the database', () => intake().writes),
    single(
      'counter',
      'quarterdeck_intake_turned_away_total',
      'Batches of log lines turned away',
      () => intake().turnedAway,
    ),
    single(
      'gauge',
      'quarterdeck_intake_batches_waiting',
      'Batches of log lines that wait for the database',
      () => intake().waiting,
    ),
    single(
      'gauge',
      'quarterdeck_intake_in_flight_bytes',
      'Log lines on their way to the database',
      () => intake().inFlightBytes,
    ),
  ];
}

const sum = (counts: readonly number[]) => counts.reduce((total, n) => total + n, 0);

function linesOf({ lines }: IntakeStats): Sample[] {
  const outcomes = { stored: lines.stored, repeated: lines.repeated, over_quota: lines.overQuota };
  const byLevel = Object.entries(outcomes).flatMap(([outcome, counts]) =>
    counts.map((value, level) => ({ labels: { level: levelName(level).toLowerCase(), outcome }, value })),
  );
  return [...byLevel, { labels: { level: 'unknown', outcome: 'unreadable' }, value: lines.unreadable }];
}

/** The syslog receiver. */
export function syslogFamilies(syslog: () => SyslogStats | undefined): readonly Family[] {
  const familiesOf = (type: 'counter' | 'gauge', names: Partial<Record<keyof SyslogStats, string>>) =>
    Object.entries(names).map(([name, help]) =>
      single(
        type,
        `quarterdeck_syslog_${snakeCase(name)}${type === 'counter' ? '_total' : ''}`,
        help,
        () => syslog()?.[name as keyof SyslogStats],
      ),
    );
  return [...familiesOf('counter', SYSLOG_COUNTERS), ...familiesOf('gauge', SYSLOG_GAUGES)];
}
