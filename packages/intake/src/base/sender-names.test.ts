import { describe, expect, it, vi } from 'vitest';
import { OTHER_NAME, SenderNames } from './sender-names.ts';

describe('SenderNames', () => {
  it('lets no peer use up the new names of another', () => {
    const names = new SenderNames({ newPerHour: 2, onOther: vi.fn() });
    for (let i = 0; i < 100; i += 1) names.admit('192.0.2.1', `random${i}`, 0);
    expect(names.admit('192.0.2.2', 'web1', 0)).toBe('web1');
    // A name that a peer was refused is not known.
    expect(names.admit('192.0.2.2', 'random99', 0)).toBe('random99');
    expect(names.admit('192.0.2.2', 'web2', 0, 5)).toBe(OTHER_NAME);
    expect(names.others).toBe(98 + 5);
    names.close();
  });

  it('limits the new names of all peers together', () => {
    const names = new SenderNames({ newPerHourInAll: 3, onOther: vi.fn() });
    const admitted = ['a', 'b', 'c', 'd'].map((name, i) => names.admit(`192.0.2.${i}`, name, 0));
    expect(admitted).toEqual(['a', 'b', 'c', OTHER_NAME]);
    expect(names.admit('192.0.2.9', 'd', 3_600)).toBe('d');
    names.close();
  });

  it('removes the oldest of fifty thousand names for a new one', () => {
    const names = new SenderNames({ newPerHour: 50_000, newPerHourInAll: 50_000, onOther: vi.fn() });
    for (let i = 0; i < 50_000; i += 1) names.admit('192.0.2.1', `host${i}`, 0);
    expect(names.admit('192.0.2.1', 'host0', 1)).toBe('host0');
    // An hour later one more is admitted and replaces the first.
    expect(names.admit('192.0.2.1', 'new', 3_600)).toBe('new');
    for (let i = 0; i < 49_999; i += 1) names.admit('192.0.2.1', `other${i}`, 3_600);
    expect(names.admit('192.0.2.1', 'host0', 3_601)).toBe(OTHER_NAME);
    names.close();
  });
});
