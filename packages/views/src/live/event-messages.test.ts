import type { Alert } from '@quarterdeck/sdk';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { eventMessage } from './event-messages.ts';
import type { FeedEvent } from './feed.ts';

const ways = { alerts: ['Press g t to list alerts.'], outages: ['Press g x to list outages.'] };
const messageOf = (event: FeedEvent): string | undefined => eventMessage(event, ways)?.text;

describe('messages about events', () => {
  it('name expiring tokens and reused secrets', () => {
    const token = { id: 1, uid: 1, name: 'ci\u0007' };
    expect(messageOf({ id: '1', type: 'token.expiring', data: { ...token, expire: 5, days: 1 } })).toBe(
      'The API token ci␇ expires in 1 day.',
    );
    const last = { last_used: 5, last_address: '192.0.2.7', last_client: 'curl/8\u0007' };
    expect(messageOf({ id: '1', type: 'token.expiring', data: { ...token, expire: 5, days: 1, ...last } })).toBe(
      'The API token ci␇ expires in 1 day. It was last used from 192.0.2.7 by curl/8␇.',
    );
    const never = { ...token, expire: 5, days: 2, last_used: null };
    expect(messageOf({ id: '1', type: 'token.expiring', data: never })).toBe(
      'The API token ci␇ expires in 2 days. It was never used.',
    );
    expect(messageOf({ id: '1', type: 'token.reused', data: { ...token, name: '', address: '192.0.2.1' } })).toBe(
      'The old secret of the API token (no name) was used from 192.0.2.1.',
    );
  });

  it('report the start and the end of an outage, not each agent that returns', () => {
    const outage = { id: 1, started: 5, ended: null, lost: 1_200, returned: 0, sample: [] };
    expect(messageOf({ id: '1', type: 'agent.outage', data: outage })).toBe(
      '1,200 agents went silent together. Press g x to list outages.',
    );
    expect(messageOf({ id: '1', type: 'agent.outage', data: { ...outage, returned: 3 } })).toBeUndefined();
    expect(messageOf({ id: '1', type: 'agent.outage', data: { ...outage, returned: 1_199, ended: 9 } })).toBe(
      'The outage is over: 1,199 of 1,200 agents are back.',
    );
  });

  it('name what fires and what ends, but nothing that is grouped under another alert', () => {
    const alert = build.alertMessage({ rule: 'disk\u0007', kind: 'errlog.count', title: `${'x'.repeat(199)}yy` });
    const of = (type: 'alert.firing' | 'alert.resolved', over: Partial<Alert> = {}) =>
      messageOf({ id: '1', type, data: { ...alert, ...over } });
    expect(of('alert.firing')).toBe(`disk␇: ${'x'.repeat(199)}y. Press g t to list alerts.`);
    expect(of('alert.firing', { parent_id: 4 })).toBeUndefined();
    expect(of('alert.resolved', { title: 'The disk is full.' })).toBe('Ended: The disk is full.');
    expect(of('alert.resolved', { kind: 'errlog.new' })).toBeUndefined();
    expect(messageOf({ id: '1', type: 'alert.acknowledged', data: alert })).toBeUndefined();
  });

  it('ignore other events', () => {
    expect(messageOf({ id: '', type: 'resync', data: { reason: 'x', of: 'all' } })).toBeUndefined();
  });
});
