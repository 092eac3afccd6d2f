// Formats and prints figures.
import type { Figures } from './load.ts';

/** Formats a whole number with commas. */
export const count = (value: number) => Math.round(value).toLocaleString('en');
/** Formats milliseconds. */
export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
/** Formats microseconds on a processor per request. */
export const cpu = ({ cpuUs }: Figures) => `${count(cpuUs)} us`;

/** Prints one line of figures. */
export function row(name: string, ours: Figures, note = ''): void {
  const columns = [
    `${count(ours.perSecond).padStart(9)}/s`,
    `p50${ms(ours.p50Ms).padStart(9)}`,
    `p99${ms(ours.p99Ms).padStart(9)}`,
    cpu(ours).padStart(9),
  ];
  console.log(`  ${name.padEnd(32)}${columns.join('  ')}  ${note}`);
}
