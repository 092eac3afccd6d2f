import type { Field } from '@quarterdeck/views/questions';
import { describe, expect, it } from 'vitest';
import { formLines } from './form-lines.ts';
import type { FormState } from './form-state.ts';

const FIELDS: Field[] = [{ kind: 'text', name: 'time', label: 'Time', max: 20, hint: '2h, 10:35' }];
const shown = (time: string, active: boolean): string => {
  const state: FormState = { values: { time }, carets: {}, focus: 'time' };
  return (formLines(FIELDS, state, 30, active)[0] ?? []).map(({ text }) => text).join('');
};

describe('the hint of an empty field', () => {
  it('stands behind the caret while the field has the focus', () => {
    expect(shown('', true)).toBe('› Time  [ 2h, 10:35          ]');
    expect(shown('', false)).toBe('  Time  [2h, 10:35           ]');
  });

  it('ends with the first character', () => expect(shown('1', true)).not.toContain('2h'));
});
