// What the overview tells, made from what the lists know. Pure.
import type { Agent, ApiToken } from '@quarterdeck/sdk';

/** A number of things that are alike. */
export interface Tally {
  readonly label: string;
  readonly value: number;
}

/** The most frequent first; what is beyond `most` of them is one more. */
export function tally<T>(rows: Iterable<T>, label: (row: T) => string, most: number): Tally[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(label(row), (counts.get(label(row)) ?? 0) + 1);
  const all = [...counts].map(([name, value]) => ({ label: name, value })).sort((a, b) => b.value - a.value);
  if (all.length <= most) return all;
  const rest = all.slice(most - 1).reduce((sum, { value }) => sum + value, 0);
  return [...all.slice(0, most - 1), { label: `${all.length - most + 1} others`, value: rest }];
}

/** How many agents there are of each kind. */
export interface Fleet {
  readonly online: number;
  readonly offline: number;
  readonly badKernel: number;
  readonly versions: readonly Tally[];
  readonly distributions: readonly Tally[];
}

/** Counts a fleet. */
export function fleetOf(agents: readonly Agent[]): Fleet {
  const online = agents.filter((agent) => agent.online).length;
  return {
    online,
    offline: agents.length - online,
    badKernel: agents.filter(({ bad_kernel }) => bad_kernel).length,
    versions: tally(agents, ({ package: { version } }) => (version === 0 ? 'unknown' : `v${version}`), 4),
    distributions: tally(agents, ({ system_version }) => system_version.kernel_distro || 'unknown', 4),
  };
}

/** Tokens that end within so many days, the next one first; expired ones too. */
export function endingTokens(tokens: readonly ApiToken[], nowMs: number, days: number): ApiToken[] {
  const until = nowMs + days * 86_400_000;
  return tokens
    .filter(({ expire, state }) => expire !== 0 && expire <= until && state !== 'disabled')
    .sort((a, b) => a.expire - b.expire);
}
