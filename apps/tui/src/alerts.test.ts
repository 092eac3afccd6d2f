import { describe, expect, it } from 'vitest';
import { alertOf } from './alerts.tsx';
import { createKeyOf } from './keys/key-hints.ts';

const keyOf = createKeyOf({ 'app.goOutages': ['g x'] }, () => true);

describe('alerts', () => {
  it('name expiring tokens and reused secrets', () => {
    const token = { id: 1, uid: 1, name: 'ci\u0007' };
    expect(alertOf({ id: '1', type: 'token.expiring', data: { ...token, expire: 5, days: 1 } }, keyOf)).toBe(
      'The API token ci␇ expires in 1 day.',
    );
    expect(alertOf({ id: '1', type: 'token.reused', data: { ...token, name: '', address: '192.0.2.1' } }, keyOf)).toBe(
      'The old secret of the API token (no name) was used from 192.0.2.1.',
    );
  });

  it('report the start and the end of an outage, not each agent that returns', () => {
    const outage = { id: 1, started: 5, ended: null, lost: 1_200, returned: 0, sample: [] };
    expect(alertOf({ id: '1', type: 'agent.outage', data: outage }, keyOf)).toBe(
      '1,200 agents went silent together. Press g x to list outages.',
    );
    expect(alertOf({ id: '1', type: 'agent.outage', data: { ...outage, returned: 3 } }, keyOf)).toBeUndefined();
    expect(alertOf({ id: '1', type: 'agent.outage', data: { ...outage, returned: 1_199, ended: 9 } }, keyOf)).toBe(
      'The outage is over: 1,199 of 1,200 agents are back.',
    );
  });

  it('ignore other events', () => {
    expect(alertOf({ id: '', type: 'resync', data: { reason: 'x', of: 'all' } }, keyOf)).toBeUndefined();
  });
});
