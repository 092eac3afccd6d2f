// Sends entries of the audit log as OTLP log records: OTLP/HTTP in JSON.
import { hostname } from 'node:os';
import type { AuditEntry } from '@quarterdeck/core';

const TIMEOUT_MS = 10_000;
/** Number and name of the severity "information". */
const SEVERITY = { severityNumber: 9, severityText: 'INFO' };

export interface OtlpReceiver {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

function toRecord(entry: AuditEntry) {
  const nanoseconds = `${Math.round(entry.time * 1000)}000000`;
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    ...SEVERITY,
    eventName: entry.action,
    body: { stringValue: JSON.stringify(entry) },
    attributes: [
      text('quarterdeck.audit.id', String(entry.id)),
      text('quarterdeck.audit.action', entry.action),
      text('quarterdeck.audit.actor', entry.actor.name || entry.actor.kind),
      text('client.address', entry.actor.address),
    ],
  };
}

/** Builds the request of some entries. */
export const otlpRequest = (entries: readonly AuditEntry[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [text('service.name', 'quarterdeck'), text('host.name', hostname())] },
      scopeLogs: [{ scope: { name: 'quarterdeck.audit' }, logRecords: entries.map(toRecord) }],
    },
  ],
});

/** The receiver has refused a request. The message has no text of the receiver. */
export class OtlpRefusal extends Error {
  override readonly name = 'OtlpRefusal';
  readonly code: string;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.code = `HTTP_${status}`;
  }
}

/** Sends entries. Rejects unless the receiver answers with success. */
export async function sendOtlp({ url, headers }: OtlpReceiver, entries: readonly AuditEntry[]): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
    body: JSON.stringify(otlpRequest(entries)),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new OtlpRefusal(answer.status);
}
