import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyOf } from './form-hash.ts';

const unitsOf = (form: string) => Uint16Array.from(form, (char) => char.charCodeAt(0));
/** The key of a form that is first seen, then cached, then served from the cache. */
const keysOf = (form: string, service: string) =>
  [1, 2, 3].map(() => keyOf(unitsOf(form), form.length, service)).filter((key, i, all) => all.indexOf(key) === i);

describe('keyOf', () => {
  it.each(['', 'cron'])('is the same from the cache, for the service %j', (service) => {
    const bytes = service === '' ? 'job failed' : `${service}\0job failed`;
    expect(keysOf('job failed', service)).toEqual([`6${hash('sha256', bytes, 'base64url').slice(0, 22)}`]);
  });

  it('tells the services of one form apart', () => {
    const keys = ['', 'cron', 'backup', 'cron'].map((service) => keyOf(unitsOf('x'), 1, service));
    expect(new Set(keys).size).toBe(3);
    expect(keys[3]).toBe(keys[1]);
  });

  it.each([
    ['a', 'bc', 'ab', 'c'],
    ['a\0b', 'c', 'a', 'c'],
    ['', 'abc', 'a', 'bc'],
    ['ä', 'b', 'ä', 'bb'],
  ])('tells service %j with form %j from service %j with form %j', (service, form, otherService, otherForm) => {
    expect(keysOf(form, service)).not.toEqual(keysOf(otherForm, otherService));
  });

  it('serves a form of a cached length from no other one', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => keyOf(unitsOf(`form ${i}`.padEnd(12)), 12, `s${i % 3}`));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
