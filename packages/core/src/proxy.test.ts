import { describe, expect, it } from 'vitest';
import { ProxyError, proxyFor, readProxies } from './proxy.ts';

const env = {
  HTTP_PROXY: 'plain.test:3128\r\n',
  https_proxy: 'http://ann:s3cret@tls.test',
  HTTPS_PROXY: 'http://other.test',
  NO_PROXY: 'inside.test, .corp.test:8443 10.0.0.7,[2001:db8::1]:443',
};

describe('the proxy', () => {
  it.each([
    ['http://a.test/', 'plain.test:3128'],
    ['https://a.test/', 'tls.test'],
    ['https://inside.test/', undefined],
    ['https://api.inside.test/', undefined],
    ['https://notinside.test/', 'tls.test'],
    ['https://a.corp.test:8443/', undefined],
    ['https://a.corp.test/', 'tls.test'],
    ['http://10.0.0.7:9000/', undefined],
    ['https://[2001:db8::1]/', undefined],
    ['http://127.0.0.1:7080/', undefined],
    ['http://127.9.9.9/', undefined],
    ['https://localhost/', undefined],
    ['http://app.localhost/', undefined],
    ['http://[::1]:7080/', undefined],
    ['http://[::ffff:127.0.0.1]/', undefined],
  ])('of %s is %s', (url, host) => {
    expect(proxyFor(readProxies(env), new URL(url))?.host).toBe(host);
  });

  it('is none without a variable, and for all hosts with *', () => {
    expect(readProxies({ NO_PROXY: 'a.test', HTTP_PROXY: '' })).toBeUndefined();
    expect(proxyFor(readProxies({ ...env, NO_PROXY: '*' }), new URL('http://a.test'))).toBeUndefined();
  });

  it('is refused without its password where it is no address of a proxy', () => {
    for (const value of ['socks5://ann:hunter2@a.test', 'http://ann:hunter2@:x']) {
      expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(ProxyError);
      expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(/^HTTPS_PROXY is not [^2]*$/);
    }
  });
});
