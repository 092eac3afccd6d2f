import { describe, expect, it } from 'vitest';
import { exposureWarning } from './exposure.ts';

const OPEN = { tlsCert: undefined, trustedProxies: '' };

describe('the warning about unencrypted HTTP', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1'])('is given on %s', (address) => {
    expect(exposureWarning(address, OPEN)).toContain('QUARTERDECK_TRUSTED_PROXIES');
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('is not given on %s', (address) => {
    expect(exposureWarning(address, OPEN)).toBeUndefined();
  });

  it('is not given with TLS or behind trusted proxies', () => {
    expect(exposureWarning('0.0.0.0', { ...OPEN, tlsCert: 'PEM' })).toBeUndefined();
    expect(exposureWarning('0.0.0.0', { ...OPEN, trustedProxies: '10.0.0.0/8' })).toBeUndefined();
  });
});
