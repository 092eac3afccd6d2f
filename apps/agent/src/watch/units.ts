// Watches services of systemd: started, stopped, failed and restarted ones.
import type { Exec } from '../facts/exec.ts';
import type { Files } from '../facts/files.ts';
import { cleanValue } from '../observe/compare.ts';
import type { Watcher } from '../observe/watcher.ts';
import { compareRuns, type Run } from './runs.ts';

export interface UnitWatcherOptions {
  readonly exec: Exec;
  readonly files: Files;
  /** Names of units, with the wildcards of systemctl. */
  readonly units: readonly string[];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The monotonic clock of the system in milliseconds. */
  readonly systemMs: () => number;
}

/** Services that most gateways have. */
export const UNITS_DEFAULT: readonly string[] = [
  'nginx.service',
  'openresty.service',
  'php*-fpm.service',
  'haproxy.service',
  'apache2.service',
  'httpd.service',
];

/** This folder exists where systemd runs the system; see sd_booted(3). */
const SYSTEMD = '/run/systemd/system';
const OUTPUT_MAX_BYTES = 256 * 1024;
const UNITS_MAX = 500;
const VALUE_MAX = 200;
const PROPERTIES = [
  'Id',
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'NRestarts',
  'InvocationID',
  'StateChangeTimestampMonotonic',
];

/**
 * Parses the output of `systemctl show`: properties by line, with a blank line between units. `bootMs` is the time at
 * which the monotonic clock began, in Unix milliseconds.
 */
export function parseUnits(text: string, bootMs: number): Map<string, Run> {
  const units = new Map<string, Run>();
  for (const block of text.split('\n\n').slice(0, UNITS_MAX)) {
    const properties = new Map<string, string>();
    for (const line of block.split('\n')) {
      const equals = line.indexOf('=');
      if (equals > 0) properties.set(line.slice(0, equals), cleanValue(line.slice(equals + 1), VALUE_MAX));
    }
    const of = (name: string): string => properties.get(name) ?? '';
    if (of('Id') === '' || of('LoadState') === 'not-found') continue;
    const changedUs = Number(of('StateChangeTimestampMonotonic')) || 0;
    units.set(of('Id'), {
      state: of('ActiveState') === 'failed' ? `failed (${of('Result')})` : `${of('ActiveState')} (${of('SubState')})`,
      run: of('InvocationID'),
      restarts: Number(of('NRestarts')) || 0,
      changedMs: changedUs > 0 ? bootMs + changedUs / 1000 : 0,
    });
  }
  return units;
}

/** Creates the watcher of services. */
export function unitWatcher({ exec, files, units, now, systemMs }: UnitWatcherOptions): Watcher {
  const command = ['systemctl', 'show', `--property=${PROPERTIES.join(',')}`, '--', ...units] as const;
  return {
    name: 'units',
    everyS: 30,
    async look(before) {
      if (units.length === 0 || !(await files.exists(SYSTEMD))) return { observed: {}, changes: [] };
      const { ok, stdout } = await exec(command, { maxBytes: OUTPUT_MAX_BYTES });
      if (!ok) throw new Error('systemctl show failed');
      return compareRuns('unit', before, parseUnits(stdout, now() - systemMs()));
    },
  };
}
