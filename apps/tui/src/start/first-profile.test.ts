import { describe, expect, it } from 'vitest';
import type { Profile } from '../profiles/profile.ts';
import { credentialOf, firstProfile } from './first-profile.ts';

const server = (name: string): Profile => ({
  name,
  url: `https://${name}.example`,
  color: 'none',
  readOnly: false,
  isProtected: false,
});
const settings = { profile: 'used', profiles: [server('used'), server('other')] };
const config = { profile: server('environment'), profileName: undefined, hasAddress: false, token: undefined };

describe('the first profile', () => {
  it('is the one of the option, of the environment, in use, or the default', () => {
    const first = (own: { profileName?: string; hasAddress?: boolean }, used = settings) =>
      firstProfile({ ...config, ...own }, used).name;
    expect(first({ profileName: 'other', hasAddress: true })).toBe('other');
    expect(first({ hasAddress: true })).toBe('environment');
    expect(first({})).toBe('used');
    expect(first({}, { ...settings, profile: '' })).toBe('environment');
  });
});

describe('the credential of a profile', () => {
  it('is the token of the environment for its own server only, else the stored one of the address', () => {
    const credentials = { get: (url: string) => ({ sessionToken: `of ${url}` }), keep: () => true, remove: () => {} };
    const given = { ...config, token: 'qd_t_x', credentials };
    expect(credentialOf(server('environment'), given)).toEqual({ apiToken: 'qd_t_x' });
    expect(credentialOf(server('other'), given)).toEqual({ sessionToken: 'of https://other.example' });
    expect(credentialOf({ ...server('other'), tokenFile: '/nowhere' }, config)).toEqual({});
  });
});
