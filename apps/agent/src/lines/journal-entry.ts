// Converts an entry of the journal of systemd, as `journalctl --output=json` prints it.
import { cleanName, cleanText } from '@quarterdeck/core/lines';
import { readEntry } from './read-entry.ts';
import type { WireLine } from './wire-line.ts';

/** Fields that {@link readJournalEntry} needs beside those that are always there. */
export const JOURNAL_FIELDS = ['MESSAGE', 'PRIORITY', 'SYSLOG_IDENTIFIER', '_SYSTEMD_UNIT'];

/** An entry of the journal. */
export interface JournalEntry {
  /** Position in the journal after which reading continues. */
  readonly cursor: string;
  /** Undefined for an entry without text. */
  readonly line: WireLine | undefined;
}

/** The priority of the output of a service that names none. */
const PRIORITY_INFO = 6;
/** Our levels begin with STDERR. */
const levelOf = (priority: number): number => priority + 1;

/** Decodes a value: text, the bytes of text that is not printable, or several of them. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return typeof value[0] === 'number' ? Buffer.from(value as number[]).toString('utf8') : textOf(value[0]);
}

/** Name of the unit of a service, else of the program. */
function serviceOf(unit: string, identifier: string): string {
  // Units of sessions and users say less than their programs.
  const name = /^(?!user@)(.+)\.service$/.exec(unit)?.[1] ?? identifier;
  return cleanName(name);
}

/** Parses an entry; undefined for text that is none. */
export function readJournalEntry(json: string): JournalEntry | undefined {
  let entry: Readonly<Record<string, unknown>>;
  try {
    entry = JSON.parse(json) as typeof entry;
  } catch {
    return undefined;
  }
  const cursor = entry?.['__CURSOR'];
  if (typeof cursor !== 'string') return undefined;
  const text = cleanText(textOf(entry['MESSAGE']).trimEnd());
  if (text.trim() === '') return { cursor, line: undefined };
  const timeS = Math.floor(Number(entry['__REALTIME_TIMESTAMP']) / 1_000_000);
  const line = readEntry(text, timeS);
  const priority = /^[0-7]$/.test(textOf(entry['PRIORITY'])) ? Number(textOf(entry['PRIORITY'])) : PRIORITY_INFO;
  const service = line.service ?? serviceOf(textOf(entry['_SYSTEMD_UNIT']), textOf(entry['SYSLOG_IDENTIFIER']));
  return {
    cursor,
    line: {
      ...line,
      // The journal is right about the time; programs write theirs in any zone.
      log_time: timeS,
      ...(priority === PRIORITY_INFO ? {} : { level: levelOf(priority) }),
      ...(service === '' ? {} : { service }),
    },
  };
}
