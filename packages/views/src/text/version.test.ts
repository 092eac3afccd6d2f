import { expect, it } from 'vitest';
import { versionText } from './version.ts';

it.each([
  [1_031_004, '1.31.4'],
  [1_000, '0.1.0'],
  [2_000_000, '2.0.0'],
  [12_004_001, '12.4.1'],
  [0, '–'],
  [7, '7'],
  [20_417, '20417'],
  [13_104, '13104'],
])('shows %i as %s', (version, text) => {
  expect(versionText(version)).toBe(text);
});
