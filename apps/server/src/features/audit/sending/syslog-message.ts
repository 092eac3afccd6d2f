// Entries of the audit log as syslog messages (RFC 5424).
import { hostname } from 'node:os';
import type { AuditEntry } from '@quarterdeck/core';

/** Facility 13 is "log audit"; severity 5 is "notice". */
const PRIORITY = 13 * 8 + 5;
/** Longest message in bytes: a datagram holds no more than 65,507. */
const MESSAGE_MAX = 60_000;

/** Visible ASCII, as names in the header of a message must be. */
const name = (text: string, max: number): string => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, max) || '-';

/** JSON in ASCII: the standard wants a byte order mark before other characters, which many receivers keep as text. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[^\x20-\x7e]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/**
 * Formats an entry: its action is the id of the message, its id the sequence number, and the text is the entry as JSON.
 * An entry that is too long for a datagram loses its detail.
 */
export function syslogMessage(entry: AuditEntry, host = hostname()): string {
  const time = new Date(entry.time * 1000).toISOString();
  const from = `${name(host, 255)} quarterdeck ${process.pid} ${name(entry.action, 32)}`;
  const head = `<${PRIORITY}>1 ${time} ${from} [meta sequenceId="${entry.id}"] `;
  const text = asciiJson(entry);
  return head + (text.length <= MESSAGE_MAX ? text : asciiJson({ ...entry, detail: { cut: true } }));
}
