// Formats and prints figures.
import type { Figures } from './load.ts';

/** Formats a whole number with commas. */
export const count = (value: number) => Math.round(value).toLocaleString('en');
/** Formats milliseconds. */
export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
/** Formats microseconds on a processor per request. */
export const cpu = ({ cpuUs }: Figures) => `${count(cpuUs)} us`;

/** A server, and its figures of one row. */
export interface Measured {
  readonly name: string;
  readonly figures: Figures;
}

/** Processor time of a request in microseconds, that of the database included. */
const allUs = ({ cpuUs, databaseUs }: Figures) => cpuUs + databaseUs;

/**
 * Prints the figures of a row: a line for each server. The first one is SQLite; the processor times of each other one
 * are multiples of its time, of the server alone and with the database.
 */
export function rows(name: string, measured: readonly Measured[], note = ''): void {
  console.log(`  ${name}${note === '' ? '' : `: ${note}`}`);
  const [{ figures: first }] = measured as [Measured];
  for (const [at, { name: server, figures }] of measured.entries()) {
    const times = (us: number) => `${(us / first.cpuUs).toFixed(1)} x`;
    const ratio = at === 0 ? '' : `${times(figures.cpuUs)}, with the database ${times(allUs(figures))}`;
    const database = figures.databaseUs === 0 ? '' : `${count(figures.databaseUs)} us`;
    const columns = [
      `${count(figures.perSecond).padStart(9)}/s`,
      `p50${ms(figures.p50Ms).padStart(9)}`,
      `p99${ms(figures.p99Ms).padStart(9)}`,
      cpu(figures).padStart(10),
      database.padStart(10),
    ];
    console.log(`    ${server.padEnd(14)}${columns.join('  ')}  ${ratio}`);
  }
}
