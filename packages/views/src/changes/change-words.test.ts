import type { Change } from '@quarterdeck/sdk';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { hostsText, valuesText } from './change-words.ts';

const change = (over: Partial<Change> = {}): Change =>
  build.change({ kind: 'deploy', name: 'shop', hosts: [], host_count: 0, labels: {}, unknown_hosts: [], ...over });

describe('a change from outside', () => {
  it.each([
    [{}, 'all hosts'],
    [{ hosts: ['web-1'], host_count: 1 }, 'web-1'],
    [{ hosts: ['web-1', 'web-2'], host_count: 2 }, '2 hosts'],
    [{ labels: { site: 'ams', canary: '' } }, 'site=ams, canary'],
    [{ hosts: ['web-1'], host_count: 1, labels: { site: 'ams' } }, 'web-1, site=ams'],
  ])('names its hosts: %j', (over, text) => {
    expect(hostsText(change(over))).toBe(text);
  });

  it('has values only where they were reported', () => {
    expect(valuesText({ before: '', after: '' })).toBe('');
    expect(valuesText({ before: '1', after: '' })).toBe('1 → nothing');
    expect(valuesText({ before: '', after: '2' })).toBe('2');
  });
});
