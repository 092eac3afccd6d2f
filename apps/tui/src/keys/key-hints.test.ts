import { describe, expect, it } from 'vitest';
import { createKeyOf, mayRun, pressTo } from './key-hints.ts';

const everything = (): boolean => true;

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
    const reader = { kind: 'user' as const, permissions: [], credential: { kind: 'session' as const, id: 1 } };
    const keyOf = createKeyOf({}, (binding) => mayRun(binding, reader, false));
    expect(keyOf('apiTokens.create')).toBeUndefined();
    expect(keyOf('list.refresh')).toBe('r');
  });

  it('name no key of a change in a profile that only reads', () => {
    expect(mayRun({ keys: ['a'], help: 'Add', changes: true }, null, true)).toBe(false);
    expect(mayRun({ keys: ['a'], help: 'Add', changes: true }, null, false)).toBe(true);
  });

  it('make a sentence, or none', () => {
    expect(pressTo('a', 'create one')).toEqual(['Press a to create one.']);
    expect(pressTo(undefined, 'create one')).toEqual([]);
  });
});
