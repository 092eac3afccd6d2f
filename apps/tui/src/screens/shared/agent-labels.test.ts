import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedLabels, labelsText, readLabelChange, readLabels } from './agent-labels.ts';

describe('labels', () => {
  it.each([
    ['site=north, tier', { site: 'north', tier: '' }],
    [' site = north ,, ', { site: 'north' }],
    ['a=1,b=x=y', { a: '1', b: 'x=y' }],
    ['rack=b 12', { rack: 'b 12' }],
    ['', {}],
  ])('are read from %j', (text, labels) => {
    expect(readLabels(text)).toEqual({ labels });
  });

  it.each([
    ['bad name', /^The label "bad name" must be letters, digits and \._\/- \(63 at most\)\.$/],
    [`x=${'y'.repeat(201)}`, /^The label "x" /],
    [Array.from({ length: 51 }, (_, n) => `l${n}`).join(), /^at most 50 labels\.$/],
  ])('are rejected: %.20s', (text, problem) => {
    expect(readLabels(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('survive being written and read', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,10}$/);
    const value = fc
      .string({ unit: fc.constantFrom('a', ' ', '\\', '=', '-', 'ü'), maxLength: 12 })
      .map((text) => text.trim());
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }), (labels) => {
        expect(readLabels(labelsText(labels))).toEqual({ labels });
      }),
    );
  });

  it('of several agents are added and removed', () => {
    const change = readLabelChange('tier=a, -old, - gone');
    expect(change).toEqual({ add: { tier: 'a' }, remove: ['old', 'gone'] });
    if ('problem' in change) throw new Error(change.problem);
    expect(changedLabels({ site: 'north', old: '', tier: 'b' }, change)).toEqual({ site: 'north', tier: 'a' });
    expect(readLabelChange('b d, -x')).toHaveProperty('problem');
  });
});
