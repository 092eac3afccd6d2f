// Watches services of systemd: started, stopped, failed and restarted ones.
import type { Exec } from '../facts/exec.ts';
import type { Files } from '../facts/files.ts';
import { cleanValue } from './compare.ts';
import type { FoundChange, Observed, Watcher } from './watcher.ts';

/** Options of {@link unitWatcher}. */
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

/** A unit as systemd shows it. */
interface Unit {
  /** State, with the reason of a failure. */
  readonly state: string;
  /** Identifies one run of the service. */
  readonly run: string;
  /** Restarts by systemd. */
  readonly restarts: number;
  /** Microseconds of the monotonic clock. */
  readonly changedUs: number;
}

/** Parses the output of `systemctl show`: properties by line, with a blank line between units. */
export function parseUnits(text: string): Map<string, Unit> {
  const units = new Map<string, Unit>();
  for (const block of text.split('\n\n').slice(0, UNITS_MAX)) {
    const properties = new Map<string, string>();
    for (const line of block.split('\n')) {
      const equals = line.indexOf('=');
      if (equals > 0) properties.set(line.slice(0, equals), cleanValue(line.slice(equals + 1)));
    }
    const of = (name: string): string => properties.get(name) ?? '';
    if (of('Id') === '' || of('LoadState') === 'not-found') continue;
    units.set(of('Id'), {
      state: of('ActiveState') === 'failed' ? `failed (${of('Result')})` : `${of('ActiveState')} (${of('SubState')})`,
      run: of('InvocationID'),
      restarts: Number(of('NRestarts')) || 0,
      changedUs: Number(of('StateChangeTimestampMonotonic')) || 0,
    });
  }
  return units;
}

const RESTARTING = 'restarted by systemd';

/** The state that was reported last, the run and the restarts, as one value. */
const pack = (state: string, { run, restarts }: Unit): string => [state, run, restarts].join('\t');

function unpack(value: string): { state: string; run: string; restarts: number } {
  const [state = '', run = '', restarts = ''] = value.split('\t');
  return { state, run, restarts: Number(restarts) };
}

/** Creates the watcher of services. */
export function unitWatcher(options: UnitWatcherOptions): Watcher {
  const { exec, files, units: names, now, systemMs } = options;

  /** Compares a unit with its last observation. Restarts by systemd are one state until a look finds no new one. */
  function lookAt(field: string, unit: Unit, last: string | undefined): { value: string; change?: FoundChange } {
    if (last === undefined) return { value: pack(unit.state, unit) };
    const before = unpack(last);
    const state = unit.restarts > before.restarts ? RESTARTING : unit.state;
    const value = pack(state, unit);
    const isNewRun = unit.run !== before.run && unit.run !== '' && before.run !== '';
    if (state === before.state && (!isNewRun || state === RESTARTING)) return { value };
    const to = state === before.state ? `${state}, restarted` : state;
    const atMs = now() - (systemMs() - unit.changedUs / 1000);
    return { value, change: { kind: 'unit', field, from: before.state, to, atMs } };
  }

  return {
    name: 'units',
    everyS: 30,
    async look(before) {
      if (!(await files.exists(SYSTEMD))) return { observed: {}, changes: [] };
      const command = ['systemctl', 'show', `--property=${PROPERTIES.join(',')}`, '--', ...names] as const;
      const { ok, stdout } = await exec(command, { maxBytes: OUTPUT_MAX_BYTES });
      if (!ok) throw new Error('systemctl show failed');
      const units = parseUnits(stdout);
      const observed: Record<string, string> = {};
      const changes: FoundChange[] = [];
      for (const [name, unit] of units) {
        const { value, change } = lookAt(name, unit, before?.[name]);
        observed[name] = value;
        if (change !== undefined) changes.push(change);
      }
      return { observed, changes: [...changes, ...cameOrWent(before ?? observed, observed)] };
    },
  };
}

/** Finds units that only one of two observations has. */
function cameOrWent(before: Observed, now: Observed): FoundChange[] {
  const names = Object.keys({ ...before, ...now }).filter((name) => !(name in before && name in now));
  const stateOf = (value = ''): string => unpack(value).state;
  return names.map((field) => ({ kind: 'unit', field, from: stateOf(before[field]), to: stateOf(now[field]) }));
}
