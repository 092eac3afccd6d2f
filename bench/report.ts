// How figures are printed.
import type { Figures } from './load.ts';

/** A whole number, with commas. */
export const count = (value: number) => Math.round(value).toLocaleString('en');
/** Milliseconds. */
export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
/** Microseconds on a processor for one request. */
export const cpu = ({ cpuUs }: Figures) => `${count(cpuUs)} us`;

/** One line of figures. */
export function row(name: string, ours: Figures, note = ''): void {
  const columns = [
    `${count(ours.perSecond).padStart(9)}/s`,
    `p50${ms(ours.p50Ms).padStart(9)}`,
    `p99${ms(ours.p99Ms).padStart(9)}`,
    cpu(ours).padStart(9),
  ];
  console.log(`  ${name.padEnd(32)}${columns.join('  ')}  ${note}`);
}
