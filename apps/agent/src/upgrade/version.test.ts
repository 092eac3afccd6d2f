import { expect, it } from 'vitest';
import { compareVersions, VERSION } from './version.ts';

/** In order; the examples of semver.org are among them. */
const ORDERED = [
  'no version',
  '0.0.9',
  '0.1.0-rc.1',
  '0.1.0',
  '0.9.0',
  '0.10.0',
  '1.0.0-1',
  '1.0.0-2',
  '1.0.0-11',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
];

it('orders versions', () => {
  for (const [i, a] of ORDERED.entries()) {
    for (const [j, b] of ORDERED.entries())
      expect(Math.sign(compareVersions(a, b)), `${a} ${b}`).toBe(Math.sign(i - j));
  }
});

it.each([
  '',
  '1',
  '1.2',
  '1.2.3.4',
  'v1.2.3',
  '1.2.3-',
  '1.2.3-a/b',
  '1.2.3-../x',
  '1.2.3\n',
  '1.2.3 ',
  '-1.2.3',
  '1.2.3-a..b',
])('takes %j for no version', (text) => expect(VERSION.test(text)).toBe(false));
