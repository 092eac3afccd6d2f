// Maps names of severities, as people and programs write them, to the numbers of specification 4.5.
import { LEVELS } from '../domain/level.ts';

const BY_NAME = new Map<string, number>([
  ...LEVELS.map((name, level) => [name.toLowerCase(), level] as const),
  ['emergency', 1],
  ['panic', 1],
  ['fatal', 3],
  ['critical', 3],
  ['err', 4],
  ['warning', 5],
  ['information', 7],
  ['trace', 8],
  // Winston has these two.
  ['verbose', 8],
  ['silly', 8],
]);

/** Level of a name of the table or a usual alias, in any case; `undefined` for any other text. */
export function levelOfName(name: string): number | undefined {
  return BY_NAME.get(name) ?? (name.length <= 16 ? BY_NAME.get(name.toLowerCase()) : undefined);
}
