// Lines as real programs write them, by group: all lines of one group have one fingerprint, and no two groups have the
// same. Written for this test, in the formats of these programs.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { fingerprint, normalForm } from './fingerprint.ts';

/** A line of the file is the name of a group, then its lines. */
const groups = readFileSync(new URL('line-groups.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((text) => {
    const [name = '', ...lines]: string[] = JSON.parse(text);
    return { name, lines };
  });

describe('fingerprint of lines of real programs', () => {
  it.each(nonEmpty(groups))('is one for $name', ({ lines: [first = '', ...others] }) => {
    expect(fingerprint(first)).not.toBe(fingerprint(''));
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
    expect(names.size).toBeGreaterThan(150);
  });
});
