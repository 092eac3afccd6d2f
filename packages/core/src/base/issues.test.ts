import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AgentLabels } from '../domain/agent.ts';
import { ApiTokenDraft } from '../domain/api-token.ts';
import { ErrlogBulk } from '../domain/errlog.ts';
import { queryFlag, queryInt } from '../domain/primitives.ts';
import { plainMessage } from './issues.ts';

const messages = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: plainMessage }).error?.issues.map(({ path, message }) => [path.join('.'), message]);

describe('validation messages', () => {
  it.each<[z.ZodType, unknown, string]>([
    [queryInt(1, 10), '0', 'must be 1 or more'],
    [queryInt(1, 10), 11, 'must be 10 or less'],
    [queryInt(1, 10), 'x', 'must be a whole number'],
    [queryInt(1, 10), 1.5, 'must be a whole number'],
    [queryInt(1, 10), undefined, 'is missing'],
    [queryInt(1, 10), ['1', '2'], 'must be a whole number'],
    [queryFlag(), 'yes', 'must be true or false'],
    [z.string().max(3), 'four', 'must have at most 3 characters'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(15), 'short', 'must have at least 15 characters'],
    [z.string(), null, 'must be text'],
    [z.array(z.int()).max(1), [1, 2], 'must have at most 1 items'],
    [z.array(z.int()).min(1), [], 'must not be empty'],
    [z.array(z.int()), 1, 'must be a list'],
    [z.object({}), [], 'must be an object'],
    [z.enum(['new', 'muted']), 'bogus', 'must be one of new, muted'],
    [z.literal('Builtin'), 'LDAP', 'must be Builtin'],
    [z.enum(['new', 'muted']), undefined, 'is missing'],
    [z.strictObject({}), { lvel: 4 }, 'has no "lvel"'],
    [z.string().regex(/^a/, 'must begin with a'), 'b', 'must begin with a'],
  ])('are plain: %#', (schema, value, message) => {
    expect(messages(schema, value)).toEqual([['', message]]);
  });

  it('describe addresses in their own words', () => {
    expect(messages(ApiTokenDraft, { allowed_cidrs: ['10.0.0.0/99'] })).toEqual([
      ['allowed_cidrs.0', 'must be an IP address or a CIDR block such as 10.0.0.0/8'],
    ]);
  });

  it('name the field, also when its name is invalid', () => {
    expect(messages(AgentLabels, { 'a b': '1' })).toEqual([['a b', 'must be letters, digits and ._/- (63 at most)']]);
    expect(messages(ErrlogBulk, { ids: [1.5], state: 'x' })).toEqual([
      ['ids.0', 'must be a whole number'],
      ['state', expect.stringMatching(/^must be one of new, ongoing/)],
    ]);
  });
});
