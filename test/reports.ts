// Inputs of public bug reports about log shippers, with what a reader must make of them. `reports.json` names the
// issues in `source`. The tests of each transport send the inputs through their real path.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Expectations of a stored line. An absent member is not checked. */
interface ExpectedLine {
  readonly log?: string;
  readonly or_log?: string;
  readonly log_starts?: string;
  readonly log_not_starts?: string;
  readonly log_contains?: string;
  readonly log_contains_all?: readonly string[];
  readonly level?: number;
  readonly host?: string;
  readonly service?: string;
  readonly service_not?: string;
  /** ISO 8601, local time of the host if it has no zone there; `arrival` = the time of the reading. */
  readonly time?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Index of the line; without one the next. */
  readonly index?: number;
}

export interface Report {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly transport: string;
  readonly input: string | readonly (string | readonly string[])[];
  readonly expected: { readonly lines?: readonly ExpectedLine[] };
}

/** A line as it was received. */
export interface ReadLine {
  readonly log: string;
  readonly level: number;
  readonly time: number;
  readonly host: string;
  readonly service: string;
  readonly fields: Readonly<Record<string, string>>;
}

export const REPORTS: readonly Report[] = JSON.parse(readFileSync(new URL('reports.json', import.meta.url), 'utf8'));

/** Name of the test of a report. */
export const titleOf = ({ id, source, kind }: Report): string => `${id}, ${source}: ${kind}`;

/** Checks the lines of a report. `now` is the time of the reading in Unix seconds. */
export function expectLines(lines: readonly ReadLine[], { expected }: Report, now: number): void {
  for (const [i, wanted] of (expected.lines ?? []).entries()) {
    const line = lines[wanted.index ?? i];
    if (line === undefined) throw new Error(`There is no line ${wanted.index ?? i} among ${JSON.stringify(lines)}`);
    expectLine(line, wanted, now);
  }
}

function expectLine(line: ReadLine, wanted: ExpectedLine, now: number): void {
  if (wanted.log !== undefined) expect([wanted.log, wanted.or_log ?? wanted.log]).toContain(line.log);
  if (wanted.log_starts !== undefined) expect(line.log.slice(0, wanted.log_starts.length)).toBe(wanted.log_starts);
  if (wanted.log_not_starts !== undefined) expect(line.log.startsWith(wanted.log_not_starts)).toBe(false);
  const { log_contains: part = '', log_contains_all: parts = [] } = wanted;
  for (const text of [part, ...parts]) expect(line.log).toContain(text);
  if (wanted.service_not !== undefined) expect(line.service).not.toMatch(new RegExp(wanted.service_not));
  for (const key of ['level', 'host', 'service'] as const) {
    if (wanted[key] !== undefined) expect(line[key]).toBe(wanted[key]);
  }
  if (wanted.fields !== undefined) expect(line.fields).toMatchObject(wanted.fields);
  if (wanted.time !== undefined) expect(line.time).toBe(wanted.time === 'arrival' ? now : timeOf(wanted.time));
}

/** A report wrote `Z` where its line has no zone: this host may have any. */
const timeOf = (iso: string): number => new Date(iso.replace(/Z$/, '')).getTime() / 1000;
