import { describe, expect, it } from 'vitest';
import { KnownHosts } from './known-hosts.ts';

describe('KnownHosts', () => {
  it('returns no name for an address of several hosts', () => {
    const hosts = new KnownHosts();
    for (const name of ['gw1', 'gw2', 'gw1']) hosts.nameOf('192.0.2.1', name);
    expect(hosts.nameOf('192.0.2.1', '')).toBe('');
  });

  it('removes the oldest address when there are too many', () => {
    const hosts = new KnownHosts();
    for (let i = 0; i <= 4_096; i += 1) hosts.nameOf(`a${i}`, 'gw');
    expect(hosts.nameOf('a0', '')).toBe('');
    expect(hosts.nameOf('a1', '')).toBe('gw');
  });
});
