import { describe, expect, it } from 'vitest';
import { claimTexts, judge, provesSecondFactor, usernameOf } from './claims.ts';

const rules = {
  roleClaim: 'groups',
  roleMap: new Map([
    ['ops', 'operator'],
    ['admins', 'master'],
    ['all', 'viewer'],
  ] as const),
  allow: [],
  secondFactor: [
    { claim: 'amr', value: 'mfa' },
    { claim: 'acr', value: 'urn:loa:2' },
  ],
};

it.each([
  [{ groups: ['a', 'b'] }, 'groups', ['a', 'b']],
  [{ groups: 'a' }, 'groups', ['a']],
  [{ n: 7, yes: true }, 'n', ['7']],
  [{ realm_access: { roles: ['x'] } }, 'realm_access.roles', ['x']],
  [{ 'https://example.com/roles': ['y'] }, 'https://example.com/roles', ['y']],
  [{ groups: [{ id: 1 }, null, 'z'] }, 'groups', ['z']],
  [{}, 'groups', []],
  [{}, '__proto__', []],
  [{}, 'constructor.name', []],
  [{ email: 'ann@example.com' }, 'email', []],
  [{ email: 'ann@example.com', email_verified: 'true' }, 'email', []],
  [{ email: 'ann@example.com', email_verified: true }, 'email', ['ann@example.com']],
])('reads of %j the claim %s as %j', (claims, name, texts) => {
  expect(claimTexts(claims, name)).toEqual(texts);
});

describe('judge', () => {
  it.each([
    [['all'], 'viewer'],
    [['all', 'admins', 'ops'], 'master'],
    ['ops', 'operator'],
  ])('gives %j the role %s', (groups, role) => {
    expect(judge(rules, { groups })).toEqual({ role });
  });

  it.each([[undefined], [[]], [['guests']], [['OPS']], [[['admins']]], [{ admins: true }]])('refuses %j', (groups) => {
    expect(() => judge(rules, { groups })).toThrow('gives you no role here');
  });

  it('gives none without a map', () => {
    expect(judge({ ...rules, roleMap: new Map() }, {})).toEqual({ role: undefined });
  });

  it('lets in those with one of the allowed claims alone', () => {
    const allow = [
      { claim: 'hd', value: 'example.com' },
      { claim: 'email', value: 'bob@example.org' },
    ];
    const decide = (claims: object) => () => judge({ ...rules, roleMap: new Map(), allow }, { ...claims });
    expect(decide({ hd: 'example.com' })).not.toThrow();
    expect(decide({ email: 'bob@example.org', email_verified: true })).not.toThrow();
    for (const claims of [{}, { hd: 'example.com.evil' }, { email: 'bob@example.org' }]) {
      expect(decide(claims)).toThrow('does not list you');
    }
  });
});

it.each([
  [{ amr: ['pwd', 'mfa'] }, true],
  [{ acr: 'urn:loa:2' }, true],
  [{ amr: ['pwd'], acr: 'urn:loa:1' }, false],
  [{ acr: 'mfa' }, false],
  [{}, false],
])('reads a second factor from %j: %s', (idToken, proved) => {
  expect(provesSecondFactor(rules, idToken)).toBe(proved);
});

it.each([
  [{ preferred_username: 'ann' }, 'ann'],
  [{ preferred_username: 'Åsa Öberg' }, 'AsaOberg'],
  [{ email: 'ann@example.com' }, 'ann@example.com'],
  [{ name: '--ann--' }, 'ann--'],
  [{ preferred_username: '王', nickname: 7, name: 'Wang' }, 'Wang'],
  [{ preferred_username: '\u202e<script>' }, 'script'],
  [{}, 'corp-user'],
])('names %j %s', (claims, name) => {
  expect(usernameOf(claims, 'corp')).toBe(name);
});
