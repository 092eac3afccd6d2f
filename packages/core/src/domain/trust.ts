// Trust rules: a job of CI exchanges the id token of its issuer for an API token, and needs no secret.
import * as z from 'zod';
import { PERMISSIONS } from '../auth/permissions.ts';
import { AddressBlock } from './api-token.ts';
import { Issuer } from './identity.ts';
import { nameText, text, UnixFraction } from './primitives.ts';

/** A printable text of an id token: exact, because programs compare it. */
const exactText = (max: number) =>
  text(max)
    .min(1)
    .refine((value) => !/\p{Cc}/u.test(value), { message: 'must not contain control characters' });

const Audience = exactText(500).refine((value) => !value.includes('*'), {
  message: 'must be the whole audience: there are no wildcards in it',
});

/** Pattern of subjects: `*` is one or more characters except `:`, `/` and control characters. */
export const SubjectPattern = exactText(1000).refine((value) => /[^*:/\s]/.test(value), {
  message: 'must not consist of wildcards alone',
});

/** One part of a pattern between two borders: texts with one or more characters between. */
function partMatches(pattern: string, subject: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  if (!subject.startsWith(first)) return false;
  let at = first.length;
  for (const [index, text] of others.entries()) {
    // Each wildcard takes a character at least; the last text ends the subject.
    const from = at + 1;
    const found = index === others.length - 1 ? subject.length - text.length : subject.indexOf(text, from);
    if (found < from || !subject.startsWith(text, found)) return false;
    at = found + text.length;
  }
  return at === subject.length;
}

/** True where a whole subject matches a {@link SubjectPattern}. */
export function subjectMatches(pattern: string, subject: string): boolean {
  if (/\p{Cc}/u.test(subject)) return false;
  const [patterns, subjects] = [pattern.split(/([:/])/), subject.split(/([:/])/)];
  return (
    patterns.length === subjects.length && patterns.every((part, index) => partMatches(part, subjects[index] ?? ''))
  );
}

const Scopes = z.array(z.enum(PERMISSIONS)).min(1).max(PERMISSIONS.length);
const Blocks = z.array(AddressBlock).max(50);

/** Trust in the id tokens of an issuer: their subject, and the permissions that it gets. */
export const TrustRule = z.object({
  id: z.int(),
  name: z.string(),
  issuer: z.string(),
  audience: z.string(),
  subject: z.string(),
  scopes: z.array(z.string()),
  allowed_cidrs: z.array(z.string()),
  created_by: z.string().meta({ description: 'Owner of the tokens; without their permissions the rule gives none' }),
  created: UnixFraction,
  modified: UnixFraction,
  last_used: UnixFraction.nullable().meta({ description: 'Unix seconds of the last exchange; null = never' }),
});
export type TrustRule = z.infer<typeof TrustRule>;

const EXAMPLE = {
  name: 'deploy shop',
  issuer: 'https://token.actions.githubusercontent.com',
  audience: 'https://quarterdeck.example.org',
  subject: 'repo:example/shop:ref:refs/heads/main',
  scopes: ['change:write' as const],
};

/** A trust rule to be created. */
export const TrustRuleDraft = z
  .object({
    name: nameText(200).default(''),
    issuer: Issuer,
    audience: Audience.meta({ description: 'Audience of the id token, whole' }),
    subject: SubjectPattern.meta({
      description: 'Subject of the id token; * is one or more characters except :, / and control characters',
    }),
    scopes: Scopes.meta({ description: 'Permissions of the tokens' }),
    allowed_cidrs: Blocks.default([]).meta({ description: 'Addresses from which the tokens work; empty = any' }),
  })
  .meta({ examples: [EXAMPLE, { ...EXAMPLE, allowed_cidrs: ['192.0.2.0/24'] }] });
export type TrustRuleDraft = z.infer<typeof TrustRuleDraft>;

/** Change of a trust rule: absent fields stay unchanged. Tokens that it has given end. */
export const TrustRuleChange = z
  .object({
    name: nameText(200).optional(),
    issuer: Issuer.optional(),
    audience: Audience.optional(),
    subject: SubjectPattern.optional(),
    scopes: Scopes.optional(),
    allowed_cidrs: Blocks.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'give at least one field',
  })
  .meta({ examples: [{ name: 'deploy' }, { ...EXAMPLE, allowed_cidrs: ['192.0.2.0/24'] }] });
export type TrustRuleChange = z.infer<typeof TrustRuleChange>;

/** An id token to be exchanged for an API token. */
export const TokenExchange = z.object({ token: z.string().min(1).max(16_000) });
export type TokenExchange = z.infer<typeof TokenExchange>;
