// Version numbers of agents as text. Pure.

/** Largest minor and patch that count as those of a release; other agents may send numbers of any kind. */
const PART_MAX = 99;

/**
 * Formats a version number. Agents of Quarterdeck send `major.minor.patch` as one number: 1031004 is 1.31.4. Any other
 * number is shown as it is, and 0, an unknown version, as a dash.
 */
export function versionText(version: number): string {
  if (version === 0) return '–';
  const [minor, patch] = [Math.floor(version / 1_000) % 1_000, version % 1_000];
  if (version < 1_000 || minor > PART_MAX || patch > PART_MAX) return String(version);
  return `${Math.floor(version / 1_000_000)}.${minor}.${patch}`;
}
