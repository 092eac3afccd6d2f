import { describe, expect, it } from 'vitest';
import { alertOf } from './alerts.tsx';

describe('alerts', () => {
  it('tell of tokens that end, and of secrets that should not be in use any more', () => {
    const token = { id: 1, uid: 1, name: 'ci\u0007' };
    expect(alertOf({ id: '1', type: 'token.expiring', data: { ...token, expire: 5, days: 1 } })).toBe(
      'The API token ci␇ ends in 1 day.',
    );
    expect(alertOf({ id: '1', type: 'token.reused', data: { ...token, name: '', address: '192.0.2.1' } })).toBe(
      'The old secret of the API token (no name) was used from 192.0.2.1.',
    );
    expect(alertOf({ id: '', type: 'resync', data: { reason: 'x', of: 'all' } })).toBeUndefined();
  });
});
