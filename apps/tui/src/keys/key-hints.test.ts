import { refusalOf } from '@quarterdeck/views/actions';
import { describe, expect, it } from 'vitest';
import { createKeyOf, pressTo } from './key-hints.ts';

const everything = () => null;

describe('key hints', () => {
  it('name the key of the table, or the one it was rebound to', () => {
    expect(createKeyOf({}, everything)('apiTokens.create')).toBe('a');
    expect(createKeyOf({ 'apiTokens.create': ['ctrl+n', 'a'] }, everything)('apiTokens.create')).toBe('Ctrl-n');
  });

  it('fall back to the word of a command without keys', () => {
    expect(createKeyOf({ 'apiTokens.create': [] }, everything)('apiTokens.create')).toBe(':add');
    expect(createKeyOf({ 'app.command': [] }, everything)('app.command')).toBeUndefined();
  });

  it('name no key of a command that the user may not run', () => {
    const reader = {
      role: 'viewer',
      permissions: [],
      credential: { kind: 'session' as const },
      must_set_up_second_factor: false,
    };
    const keyOf = createKeyOf({}, (binding) => refusalOf(binding, reader, false));
    expect(keyOf('apiTokens.create')).toBeUndefined();
    expect(keyOf('list.refresh')).toBe('r');
  });

  it('make a sentence, or none', () => {
    expect(pressTo('a', 'create one')).toEqual(['Press a to create one.']);
    expect(pressTo(undefined, 'create one')).toEqual([]);
  });
});
