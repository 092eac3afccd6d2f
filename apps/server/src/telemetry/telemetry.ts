// Traces and metrics for OpenTelemetry, as the rest of the server sees them. Nothing of OpenTelemetry is loaded here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { Passwords } from '../auth/passwords.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { TelemetrySettings } from '../settings/telemetry-settings.ts';

/** Middleware that runs the rest of a request inside a span. */
export type TraceRequest = (req: IncomingMessage & { id?: string }, res: ServerResponse, next: () => void) => void;

/** Traces and metrics on their way to a collector of OpenTelemetry. */
export interface Telemetry {
  /** Returns the database with spans for its statements and writes. */
  database(db: Database): Database;
  /** Returns the hashing of passwords with spans. */
  passwords(passwords: Passwords): Passwords;
  /** Undefined where traces are not sent. */
  readonly traceRequest: TraceRequest | undefined;
  /** Sends metrics from now on. */
  sendMetrics(metrics: Pick<Metrics, 'collect'>): void;
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>;
}

/** Loads OpenTelemetry. A server that sends nothing spends neither memory nor time on it. */
export async function startTelemetry(settings: TelemetrySettings, log: Logger): Promise<Telemetry> {
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(settings, log);
}
