// Metrics for Prometheus. Each part of the server keeps its own counts; a request collects them.
import type { Database } from '@quarterdeck/core/db';
import type { SyslogStats } from '@quarterdeck/intake/syslog';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { PasswordStats } from '../auth/passwords.ts';
import type { BackupStats } from '../backup/backups.ts';
import type { RetentionStats } from '../features/errlog/errlog.retention.ts';
import type { IntakeStats } from '../features/errlog/intake/intake.ts';
import type { Admission } from '../http/admission/admission.ts';
import type { LaneStats } from '../http/admission/lane.ts';
import type { ConnectionStats } from '../http/connection-guard.ts';
import { VERSION } from '../process/version.ts';
import { byLabel, type Family, histogram, type Sample, single, textOf } from './family.ts';
import type { HttpTimes } from './http-times.ts';
import type { InstallationReader } from './installation.ts';
import {
  auditFamilies,
  backupFamilies,
  installationFamilies,
  type MessageSources,
  messageFamilies,
} from './installation-families.ts';
import { lineFamilies, syslogFamilies } from './line-families.ts';

/** Sources of the numbers. */
export interface MetricSources extends MessageSources {
  readonly auditSenders: Parameters<typeof auditFamilies>[0];
  /** Undefined without a schedule. */
  readonly backups: () => BackupStats | undefined;
  /** Answers so far, by HTTP status. */
  readonly answers: () => ReadonlyMap<number, number>;
  readonly http: HttpTimes;
  readonly admission: Admission['stats'];
  readonly connections: () => ConnectionStats;
  readonly db: Pick<Database, 'dialect' | 'statementTimes' | 'queue'>;
  readonly intake: () => IntakeStats;
  readonly installation: InstallationReader;
  readonly passwords: () => PasswordStats;
  readonly retention: () => RetentionStats;
  /** Sign-ins by outcome. */
  readonly signIns: () => Readonly<Record<string, number>>;
  /** Undefined without a syslog receiver. */
  readonly syslog: () => SyslogStats | undefined;
  readonly subscribers: () => number;
}

/** A metric with its numbers of now. */
export interface CollectedMetric extends Pick<Family, 'name' | 'help'> {
  readonly type: string;
  readonly values: readonly Sample[];
}

export interface Metrics {
  /** Type of the text, for its header. */
  readonly contentType: string;
  /** Collects all metrics as text. One scrape runs at a time; others wait for it and get the same text. */
  scrape(): Promise<string>;
  /** Collects all metrics as objects. */
  collect(): Promise<CollectedMetric[]>;
}

/**
 * Gauges of Node whose names end in `_total`, which Prometheus keeps for counters. Each is the sum over the types of
 * the gauge without this suffix, so nothing is lost without them.
 */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(sources: MetricSources): Metrics {
  const node = new Registry();
  collectDefaultMetrics({ register: node });
  for (const name of MISNAMED) node.removeSingleMetric(name);
  const families = familiesOf(sources);
  const { installation } = sources;
  let running: Promise<string> | undefined;

  async function collectText(): Promise<string> {
    try {
      await installation.refresh();
      return (await textOf(families)) + (await node.metrics());
    } finally {
      running = undefined;
    }
  }

  return {
    contentType: node.contentType,
    scrape() {
      running ??= collectText();
      return running;
    },
    async collect() {
      await installation.refresh();
      const ofNode = (await node.getMetricsAsJSON()) as unknown as CollectedMetric[];
      return [...families.map(({ read, ...family }) => ({ ...family, values: Array.from(read()) })), ...ofNode];
    },
  };
}

/** The metrics of the server, without those of Node. */
export function familiesOf(sources: MetricSources): readonly Family[] {
  const { answers, connections, db, http, installation, intake, passwords, retention, signIns, syslog } = sources;
  const { subscribers } = sources;
  return [
    {
      name: 'quarterdeck_build_info',
      help: 'Version of the server, of Node and its database',
      type: 'gauge',
      read: () => [{ labels: { version: VERSION, node: process.versions.node, database: db.dialect }, value: 1 }],
    },
    ...http.families,
    {
      name: 'quarterdeck_http_answers_total',
      help: 'JSON answers by HTTP status',
      type: 'counter',
      read: () => Array.from(answers(), ([status, value]) => ({ labels: { status }, value })),
    },
    single('gauge', 'quarterdeck_http_connections', 'Open connections', () => connections().open),
    single(
      'gauge',
      'quarterdeck_http_connections_credentialed',
      'Open connections whose last request had a valid credential',
      () => connections().credentialed,
    ),
    single(
      'counter',
      'quarterdeck_http_connections_evicted_total',
      'Connections closed to make room for others',
      () => connections().evicted,
    ),
    single(
      'counter',
      'quarterdeck_http_connections_refused_total',
      'Connections refused because as many were open as may be',
      () => connections().refused,
    ),
    ...admissionFamilies(sources.admission),
    single('gauge', 'quarterdeck_event_subscribers', 'Open event streams', subscribers),
    byLabel(
      'counter',
      'quarterdeck_sign_ins_total',
      'Sign-ins by outcome: ok, or the code of the error',
      'outcome',
      signIns,
    ),
    byLabel('gauge', 'quarterdeck_password_hashes', 'Password hashes that run, and those that wait', 'state', () => ({
      ...passwords(),
    })),
    ...databaseFamilies(db, installation),
    ...lineFamilies(intake, syslog),
    ...(syslog() === undefined ? [] : syslogFamilies(syslog)),
    ...installationFamilies(installation, retention),
    ...messageFamilies(sources),
    ...auditFamilies(sources.auditSenders),
    ...backupFamilies(sources.backups),
  ];
}

/** Metrics of the lanes, each with one number for each lane. */
function admissionFamilies(stats: Admission['stats']): readonly Family[] {
  const byLane = (type: 'counter' | 'gauge', name: string, help: string, read: (lane: LaneStats) => number) =>
    byLabel(type, name, help, 'lane', () =>
      Object.fromEntries(Object.entries(stats()).map(([lane, numbers]) => [lane, read(numbers)])),
    );
  return [
    byLane('counter', 'quarterdeck_admitted_total', 'Admitted requests by lane', ({ admitted }) => admitted),
    byLane(
      'counter',
      'quarterdeck_refused_total',
      'Requests by lane that were refused because too many were in progress',
      ({ refused }) => refused,
    ),
    byLane('gauge', 'quarterdeck_admission_limit', 'Requests by lane that may be in progress', ({ limit }) => limit),
    byLane('gauge', 'quarterdeck_admission_in_flight', 'Requests by lane in progress', ({ inFlight }) => inFlight),
    byLane(
      'gauge',
      'quarterdeck_admission_wait_seconds',
      'Mean time by lane from admission to answer, of the last measurement',
      ({ meanMs }) => meanMs / 1000,
    ),
  ];
}

/** Times, queues and sizes of the database. */
function databaseFamilies(
  db: Pick<Database, 'dialect' | 'statementTimes' | 'queue'>,
  installation: Pick<InstallationReader, 'latest'>,
): readonly Family[] {
  const { statementTimes: times } = db;
  return [
    histogram(
      'quarterdeck_database_statement_duration_seconds',
      'Time of statements by operation and table; those of threads are not counted',
      () =>
        Array.from(times.families(), ({ operation, table, durations }) => [{ operation, table }, durations] as const),
    ),
    histogram(
      'quarterdeck_database_write_duration_seconds',
      'Time from the call of a write to its commit; bulk writes store log lines',
      () => (['small', 'bulk'] as const).map((kind) => [{ kind }, times.writes[kind]] as const),
    ),
    single(
      'gauge',
      'quarterdeck_database_waiting',
      'SQLite: writes that wait for others. PostgreSQL: statements that wait for a connection',
      () => db.queue().waiting,
    ),
    byLabel(
      'gauge',
      'quarterdeck_database_connections',
      'Open connections to PostgreSQL',
      'state',
      () => db.queue().connections,
    ),
    byLabel(
      'gauge',
      'quarterdeck_database_size_bytes',
      'Size of the database by part: file, wal, reserve; on PostgreSQL database',
      'part',
      () => installation.latest()?.databaseSize,
    ),
    single(
      'gauge',
      'quarterdeck_database_unused_bytes',
      'Unused pages in the file of SQLite',
      () => installation.latest()?.unusedBytes,
    ),
  ];
}
