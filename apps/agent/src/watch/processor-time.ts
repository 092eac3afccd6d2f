// Processor time that the agent and its commands have used.
import { readFileSync } from 'node:fs';

/** Milliseconds of a clock tick, in which Linux tells processor time on all platforms of Node. */
const TICK_MS = 10;
/** Places of the times of ended children behind the name in `/proc/self/stat`. */
const CHILDREN_USER = 13;
const CHILDREN_SYSTEM = 14;

/** Processor time of this process, milliseconds. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Processor time of all commands of this process that have ended, milliseconds; 0 where the system does not tell. */
export function commandsCpuMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
    return (Number(fields[CHILDREN_USER]) + Number(fields[CHILDREN_SYSTEM])) * TICK_MS || 0;
  } catch {
    return 0;
  }
}
