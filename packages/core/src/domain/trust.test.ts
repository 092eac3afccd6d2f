import { expect, it } from 'vitest';
import { SubjectPattern, subjectMatches, TrustRuleDraft } from './trust.ts';

const MAIN = 'repo:org/name:ref:refs/heads/main';

it.each([
  [MAIN, MAIN, true],
  ['repo:org/*:ref:refs/heads/main', MAIN, true],
  ['repo:org/n*e:ref:refs/heads/*', MAIN, true],
  ['repo:*/*:ref:refs/heads/main', MAIN, true],
  ['repo:org/na**:ref:refs/heads/main', MAIN, true],
  ['repo:org/name**:ref:refs/heads/main', MAIN, false],
  ['repo:org/name*:ref:refs/heads/main', MAIN, false],
  ['repo:org/*', MAIN, false],
  ['repo:*', MAIN, false],
  ['repo:org/name:*', MAIN, false],
  ['repo:org/name:ref:*', MAIN, false],
  ['repo:org/name:ref:refs/*', MAIN, false],
  ['repo:org/name:ref:refs/heads/*', 'repo:org/name:ref:refs/heads/a/b', false],
  ['repo:org/name:ref:refs/heads/*', 'repo:org/name:ref:refs/heads/', false],
  ['repo:org/name:ref:refs/heads/*', 'repo:org/name:ref:refs/heads/x\u0000', false],
  ['repo:org/name:ref:refs/heads/*', 'repo:org/name:ref:refs/heads/x\ny', false],
  ['repo:org/name:ref:refs/heads/main', 'xrepo:org/name:ref:refs/heads/main', false],
  ['repo:org/name:ref:refs/heads/main', 'repo:org/name:ref:refs/heads/main2', false],
  ['repo:Org/name:ref:refs/heads/main', MAIN, false],
  ['a.c', 'abc', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', false],
  ['a*a', 'aba', true],
  ['a*b*c', 'abbc', false],
  ['a*b*c', 'axbxc', true],
  ['a*bb', 'abbbb', true],
  ['system:serviceaccount:ci:*', 'system:serviceaccount:ci:runner', true],
  [`${'a*'.repeat(300)}b`, 'a'.repeat(1000), false],
])('matches %s against %j: %s', (pattern, subject, matches) => {
  expect(subjectMatches(pattern, subject)).toBe(matches);
});

it.each(['*', '**', '*:*', '*/*', '*:*/*', ':', ' * ', '', 'a\nb', 'a\u0000b', 'x'.repeat(1001)])(
  'refuses the pattern %j',
  (pattern) => {
    expect(SubjectPattern.safeParse(pattern).success).toBe(false);
  },
);

it.each([
  { audience: '*' },
  { audience: 'https://quarterdeck.example.com/*' },
  { audience: '' },
  { issuer: 'http://ci.example.com' },
  { issuer: 'https://ci.example.com/?x=1' },
  { issuer: 'https://ann@ci.example.com' },
  { scopes: [] },
  { scopes: ['all'] },
  { allowed_cidrs: ['10.0.0.0/40'] },
])('refuses the rule with %j', (wrong) => {
  const rule = { issuer: 'https://ci.example.com', audience: 'quarterdeck', subject: MAIN, scopes: ['change:write'] };
  expect(TrustRuleDraft.safeParse(rule).success).toBe(true);
  expect(TrustRuleDraft.safeParse({ ...rule, ...wrong }).success).toBe(false);
});
