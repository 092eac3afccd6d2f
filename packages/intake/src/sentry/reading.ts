// Small readers of Sentry's untrusted JSON, for events and log records.
import { plausibleSeconds, readLeadingTime } from '@quarterdeck/core/lines';
import type { IntakeLine } from '../http/http-lines.ts';

/** Facts about a body that its lines share. */
export interface Reading {
  /** Project of the path: the service of lines that name none. */
  readonly project: string;
  /** Unix seconds, for records without a time. */
  readonly nowS: number;
  /** Address of the sender, for users whose address an SDK leaves to the server; undefined where none is kept. */
  readonly userIp: string | undefined;
}

/** The first appearance of a release in a body. */
export interface SeenRelease {
  readonly service: string;
  readonly environment: string;
  readonly release: string;
  /** `''` for none. */
  readonly host: string;
}

/** A line with what does not fit into it. */
export interface SentryLine {
  readonly line: IntakeLine;
  /** Parts of the fingerprint that the program chose; undefined for none. */
  readonly fingerprint: readonly string[] | undefined;
  readonly release: SeenRelease | undefined;
}

const MAX_ID = 128;

/** Text of a value; `''` for anything but text that is not empty, and numbers. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Reads Unix seconds or a date; undefined for none and for a time that is far off. */
export function secondsOf(time: unknown, nowS: number): number | undefined {
  if (typeof time === 'number') return plausibleSeconds(time, nowS);
  return typeof time === 'string' ? readLeadingTime(time, nowS)?.seconds : undefined;
}

/** Reads the id of a trace or an event: 32 hexadecimal digits, also as a UUID; `''` for anything else. */
export function idOf(value: unknown): string {
  const id = typeof value === 'string' && value.length <= MAX_ID ? value.replaceAll('-', '').toLowerCase() : '';
  return /^[0-9a-f]{32}$/.test(id) ? id : '';
}

/** Removes the query, the fragment and a password from a URL: they may hold secrets. */
export function withoutQuery(url: string): string {
  const [place = ''] = url.split(/[?#]/, 1);
  return place.replace(/^([a-z][a-z0-9+.-]{0,15}:\/\/)[^/@]{1,512}@/i, '$1');
}

/** Finds the release that a line names. */
export function releaseOf(line: IntakeLine, environment: string, release: string): SeenRelease | undefined {
  const { service = '', host = '' } = line;
  return release === '' ? undefined : { service, environment, release, host };
}
