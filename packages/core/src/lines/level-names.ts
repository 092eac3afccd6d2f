// Maps names of severities, as people and programs write them, to the numbers of specification 4.5.
import { LEVELS } from '../base/level.ts';
import { withoutColours } from './colours.ts';

/** Names beside those of the table. The words of loggers with another scale are below the end of a whole system. */
const ALIASES: readonly (readonly [level: number, names: string])[] = [
  [1, 'emergency'],
  [2, 'panic pnc'],
  [3, 'critical fatal ftl dpanic'],
  // Java has SEVERE. Log15 writes `eror`, slog of Rust `erro`, .NET `fail`, Erlang and others the first three letters.
  [4, 'err eror erro severe fail failure'],
  [5, 'warning wrn'],
  [6, 'note'],
  [7, 'information informational inf config success default'],
  [8, 'dbg dbug debg trace trc trce verbose vrb silly http fine finer finest'],
];
const BY_NAME = new Map<string, number>([
  ...LEVELS.map((name, level) => [name.toLowerCase(), level] as const),
  ...ALIASES.flatMap(([level, names]) => names.split(' ').map((name) => [name, level] as const)),
]);
/** Go's `slog` names the levels between its own by their distance: `ERROR+2`. */
const BETWEEN = /^([a-z]{4,5})[+-]\d{1,3}$/i;

/** Level of a name of the table or a usual alias, in any case; `undefined` for any other text. */
export function levelOfName(name: string): number | undefined {
  const known = BY_NAME.get(name);
  if (known !== undefined || name.length > 32) return known;
  const plain = withoutColours(name).toLowerCase();
  return BY_NAME.get(plain) ?? BY_NAME.get(BETWEEN.exec(plain)?.[1] ?? '');
}

/**
 * OpenTelemetry's SeverityNumber 1 to 24 -> level, by its names. TRACE and DEBUG are DEBUG, and INFO is INFO. INFO2 to
 * INFO4 are NOTICE. WARN is WARN and ERROR is ERROR. ERROR2 is CRIT, ERROR3 and ERROR4 are ALERT, FATAL is EMERG.
 * OpenTelemetry maps the eight severities of syslog to these numbers, so a line from syslog gets its own level again.
 */
const SEVERITY_NUMBERS = [8, 8, 8, 8, 8, 8, 8, 8, 7, 6, 6, 6, 5, 5, 5, 5, 4, 3, 2, 2, 1, 1, 1, 1];

/** Level of a SeverityNumber of OpenTelemetry; undefined for any other number. */
export const levelOfSeverityNumber = (number: number): number | undefined => SEVERITY_NUMBERS[number - 1];
