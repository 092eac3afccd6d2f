// Lines as real programs write them, by group: all lines of one group have one fingerprint, and no two groups have the
// same. Written for this test, in the formats of these programs.
import { describe, expect, it } from 'vitest';
import { GO, JAVA, NODE, PYTHON } from '../../test/groups-of-languages.ts';
import { type Group, KERNEL, NGINX, OPENRESTY, OTHERS } from '../../test/groups-of-servers.ts';
import * as systems from '../../test/groups-of-systems.ts';
import * as traces from '../../test/groups-of-traces.ts';
import { fingerprint, normalForm } from './fingerprint.ts';

const PROGRAMS: Readonly<Record<string, Group[]>> = {
  ...{ NGINX, OPENRESTY, NODE, JAVA, PYTHON, GO, KERNEL, OTHERS },
  ...traces,
  ...systems,
};
const groups = Object.entries(PROGRAMS).flatMap(([program, list]) =>
  list.map(([name, ...lines]) => ({ name: `${program}: ${name}`, lines })),
);

describe('fingerprint of lines of real programs', () => {
  it.each(groups)('is one for $name', ({ lines: [first = '', ...others] }) => {
    for (const other of others) expect(normalForm(other)).toBe(normalForm(first));
    for (const other of others) expect(fingerprint(other)).toBe(fingerprint(first));
  });

  it('is another for each group', () => {
    const names = new Map<string, string>();
    for (const { name, lines } of groups) {
      const key = fingerprint(lines[0] ?? '');
      expect(names.get(key), name).toBeUndefined();
      names.set(key, name);
    }
    expect(names.size).toBe(groups.length);
  });

  it('is shown with more than two hundred lines', () => {
    const physical = groups
      .flatMap(({ lines }) => lines)
      .join('\n')
      .split('\n');
    expect(groups.flatMap(({ lines }) => lines).length).toBeGreaterThanOrEqual(150);
    expect(physical.length).toBeGreaterThanOrEqual(200);
  });
});
