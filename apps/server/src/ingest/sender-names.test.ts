import { describe, expect, it, vi } from 'vitest';
import { OTHER_SENDER, SenderNames } from './sender-names.ts';

describe('SenderNames', () => {
  it('admits a limited number of new names in an hour, and known names', () => {
    const onOther = vi.fn();
    const names = new SenderNames({ newPerHour: 2, onOther });
    expect(names.admit('192.0.2.1', 'web1', 0)).toEqual({ address: '192.0.2.1', hostname: 'web1' });
    expect(names.admit('192.0.2.2', '', 1)).toEqual({ address: '192.0.2.2', hostname: '' });
    expect(names.admit('192.0.2.3', 'web3', 2)).toBe(OTHER_SENDER);
    expect(names.admit('192.0.2.9', 'web1', 3)).toEqual({ address: '192.0.2.9', hostname: 'web1' });
    expect(names.admit('192.0.2.2', '', 3_599)).toEqual({ address: '192.0.2.2', hostname: '' });
    expect(names.admit('192.0.2.4', '', 3_599)).toBe(OTHER_SENDER);
    expect(onOther.mock.calls).toEqual([[1, 1]]);
    expect(names.others).toBe(2);
    expect(names.admit('192.0.2.4', '', 3_600)).toEqual({ address: '192.0.2.4', hostname: '' });
    names.close();
    expect(onOther.mock.calls).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  it('removes the oldest of fifty thousand names for a new one', () => {
    const names = new SenderNames({ newPerHour: 50_000, onOther: vi.fn() });
    for (let i = 0; i < 50_000; i += 1) names.admit('192.0.2.1', `host${i}`, 0);
    expect(names.admit('192.0.2.1', 'host0', 1).hostname).toBe('host0');
    // An hour later one more is admitted and replaces the first.
    expect(names.admit('192.0.2.1', 'new', 3_600).hostname).toBe('new');
    for (let i = 0; i < 49_999; i += 1) names.admit('192.0.2.1', `other${i}`, 3_600);
    expect(names.admit('192.0.2.1', 'host0', 3_601)).toBe(OTHER_SENDER);
    names.close();
  });
});
