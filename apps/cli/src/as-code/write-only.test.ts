// Fields that answers never show, as those of services with a token.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Values } from '../command/command.ts';
import { tableOf } from './export.ts';
import { type Noun, nounOf } from './nouns.ts';
import { changesOf } from './plan.ts';
import type { Entry } from './read-folder.ts';
import type { Existing } from './read-server.ts';

const fields = {
  name: z.string(),
  kind: z.enum(['pager', 'mail']),
  chat: z.string().optional(),
  token: z.string().optional(),
};
const draft = z.object(fields).superRefine(({ kind, token }, context) => {
  if (kind === 'pager' && token === undefined)
    context.addIssue({ code: 'custom', path: ['token'], message: 'is required' });
});
const { name, kind, chat } = fields;
const noun: Noun = {
  ...nounOf('channels'),
  draft,
  view: z.object({ name, kind, chat }),
  change: z.object(fields).partial(),
};

const existing = (own: Values): Existing => ({ id: 7, name: 'On call!', fields: own, created: 1, modified: 1 });
const entry = (own: Values): Entry => ({
  noun: 'channels',
  name: 'On call!',
  id: undefined,
  file: 'channels.toml',
  fields: own,
  secrets: new Set(),
});
const stored = existing({ kind: 'pager', chat: 'ops' });
const how = (own: Values, sendsSecrets = false) =>
  changesOf(noun, entry({ kind: 'pager', ...own }), stored, sendsSecrets).map(
    (change) => `${change.field} ${change.how}`,
  );

describe('a secret that the server does not show', () => {
  it('is sent with a change of another field, or when that is asked for', () => {
    expect(how({ chat: 'ops', token: 'x' })).toEqual([]);
    expect(how({ chat: 'dev', token: 'x' })).toEqual(['chat shown', 'token sent']);
    expect(how({ chat: 'ops', token: 'x' }, true)).toEqual(['token sent']);
  });

  it('stays where no file has it, as a field without a default does', () => {
    expect(how({}, true)).toEqual([]);
    expect(how({ chat: 'dev' }, true)).toEqual(['chat shown']);
  });

  it('is exported as a variable where the entry cannot be without it', () => {
    const taken = new Set<string>();
    expect(tableOf(noun, stored, taken)).toEqual({ kind: 'pager', chat: 'ops', token: `\${env:ON_CALL_TOKEN}` });
    expect(tableOf(noun, stored, taken)['token']).toBe(`\${env:ON_CALL_7_TOKEN}`);
    expect(tableOf(noun, existing({ kind: 'mail' }), taken)).toEqual({ kind: 'mail' });
    expect(tableOf(noun, { ...stored, name: '7 Seas' }, taken)['token']).toBe(`\${env:CHANNEL_7_SEAS_TOKEN}`);
  });
});
