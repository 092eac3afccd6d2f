import type { Field } from '@quarterdeck/views/questions';
import { describe, expect, it } from 'vitest';
import { caretOf, type FormAction, type FormState, formReducer } from './form-state.ts';

const FIELDS: Field[] = [
  { kind: 'text', name: 'name', label: 'Name', max: 20 },
  { kind: 'check', name: 'sure', label: 'Sure', text: 'really' },
  {
    kind: 'choice',
    name: 'size',
    label: 'Size',
    options: [
      { value: 's', label: 'small' },
      { value: 'm', label: 'medium' },
    ],
  },
];
const START: FormState = { values: { name: '', sure: '', size: 's' }, carets: {}, focus: 'name' };
const run = (...actions: FormAction[]): FormState =>
  actions.reduce((state, action) => formReducer(state, action, FIELDS), START);
const type = (text: string): FormAction => ({ type: 'text', text });

describe('a form', () => {
  it.each<[string, FormAction[], string, number]>([
    ['typing', [type('ab'), type('c')], 'abc', 3],
    ['typing in the middle', [type('ac'), { type: 'move', by: -1 }, type('b')], 'abc', 2],
    ['erasing', [type('abc'), { type: 'erase', times: 2 }], 'a', 1],
    ['erasing forward', [type('abc'), { type: 'start' }, { type: 'eraseForward', times: 1 }], 'bc', 0],
    ['erasing a word', [type('one two  '), { type: 'eraseWord' }], 'one ', 4],
    ['erasing to the start', [type('abc'), { type: 'move', by: -1 }, { type: 'eraseToStart' }], 'c', 0],
    ['erasing to the end', [type('abc'), { type: 'move', by: -1 }, { type: 'eraseToEnd' }], 'ab', 2],
    ['erasing a glyph of several characters', [type('a👍🏽'), { type: 'erase', times: 1 }], 'a', 1],
    ['moving past the ends', [type('ab'), { type: 'move', by: 9 }, { type: 'move', by: -9 }, type('x')], 'xab', 1],
    ['control characters', [type('a\tb\n\u001B')], 'ab', 2],
    ['more than fits', [type('x'.repeat(20)), type('y')], 'x'.repeat(20), 20],
  ])('does what is meant by %s', (_, actions, value, caret) => {
    const state = run(...actions);
    expect(state.values['name']).toBe(value);
    expect(caretOf(state, 'name')).toBe(caret);
  });

  it('cycles through its fields', () => {
    expect(run({ type: 'focus', by: 1 }).focus).toBe('sure');
    expect(run({ type: 'focus', by: -1 }).focus).toBe('size');
    expect(run({ type: 'focus', by: 4 }).focus).toBe('sure');
  });

  it('toggles a check with Space', () => {
    const ticked = run({ type: 'focus', by: 1 }, type(' '));
    expect(ticked.values['sure']).toBe('yes');
    expect(formReducer(ticked, type(' '), FIELDS).values['sure']).toBe('');
    expect(formReducer(ticked, type('x'), FIELDS).values['sure']).toBe('yes');
  });

  it('selects options with left and right, and stops at the ends', () => {
    expect(run({ type: 'focus', by: 2 }, { type: 'move', by: 1 }).values['size']).toBe('m');
    expect(run({ type: 'focus', by: 2 }, { type: 'move', by: 5 }).values['size']).toBe('m');
    expect(run({ type: 'focus', by: 2 }, { type: 'move', by: -1 }).values['size']).toBe('s');
  });
});
