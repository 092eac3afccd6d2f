import { WEBHOOK_KINDS, type WebhookKind } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { wantsMessage } from './wants-message.ts';

const FIRING = { alertId: 7, channel: 1, type: 'alert.firing' };
const UPDATED = { ...FIRING, type: 'alert.updated' };
const ELSEWHERE = { ...FIRING, channel: 2 };

/** Kinds that get a message. */
const takers = (type: string, kind: string, earlier = [FIRING]): WebhookKind[] =>
  WEBHOOK_KINDS.filter((one) => wantsMessage({ id: 1, kind: one }, { type, data: { kind } }, earlier));

const EDIT = ['ntfy', 'telegram', 'discord'];
const STATE = ['standard', 'alertmanager', 'pagerduty', 'opsgenie'];
const sorted = (...kinds: string[][]) => kinds.flat().sort();

describe('a message about an alert that a channel knows', () => {
  it.each([
    ['alert.firing', 'errlog.new', [...WEBHOOK_KINDS]],
    ['alert.updated', 'errlog.new', [...WEBHOOK_KINDS]],
    ['alert.acknowledged', 'errlog.count', [...EDIT, 'standard', 'pagerduty', 'opsgenie']],
    ['alert.assigned', 'errlog.count', [...EDIT, 'standard']],
    ['alert.resolved', 'errlog.count', [...WEBHOOK_KINDS]],
    ['alert.resolved', 'errlog.new', [...EDIT, ...STATE]],
    ['alert.resolved', 'errlog.regressed', [...EDIT, ...STATE]],
  ])('%s of %s goes to its kinds', (type, kind, kinds) => {
    expect(takers(type, kind).sort()).toEqual(sorted(kinds));
  });

  it('is followed up once where it cannot be changed', () => {
    expect(takers('alert.updated', 'errlog.new', [FIRING, UPDATED]).sort()).toEqual(sorted(EDIT, STATE));
  });
});

describe('a message about an alert that a channel does not know', () => {
  it.each(nonEmpty(['alert.updated', 'alert.acknowledged', 'alert.assigned', 'alert.resolved']))(
    'does not go there while other channels know it: %s',
    (type) => {
      expect(takers(type, 'errlog.count', [ELSEWHERE])).toEqual([]);
    },
  );

  it('goes there where it is the end of an alert whose messages are not stored any more', () => {
    expect(takers('alert.resolved', 'errlog.count', [])).toEqual([...WEBHOOK_KINDS]);
    expect(takers('alert.resolved', 'errlog.new', [])).toEqual([]);
    expect(takers('alert.updated', 'errlog.count', [])).toEqual([]);
  });
});

it('sends everything that is about no alert', () => {
  expect(takers('agent.outage', '', [])).toEqual([...WEBHOOK_KINDS]);
  expect(takers('webhook.test', '', [])).toEqual([...WEBHOOK_KINDS]);
});
