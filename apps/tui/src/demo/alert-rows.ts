// Demo: alerts, their rules, channels and deliveries.
import {
  ALERT_COOLDOWN_S,
  type Alert,
  type AlertRule,
  type ErrlogEntry,
  type Webhook,
  type WebhookDelivery,
} from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { DEPLOYED_AGO_S } from './agent-story.ts';
import { changeCause, noCause } from './alert-evidence.ts';
import type { Fleet } from './fleet-state.ts';
import { STORIES } from './stories.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

type Rule = Pick<AlertRule, 'id' | 'name' | 'when'> & Partial<AlertRule> & { readonly firedAgo?: number };

const RULES: readonly Rule[] = [
  {
    id: 6,
    name: 'checkout errors',
    when: { kind: 'errlog.count', count: 100, within: 300, per: 'group' },
    filter: 'service:checkout level:error',
    channels: [1, 2],
    repeat: HOUR_S,
    runbook: 'https://wiki.example.org/runbooks/{service}',
    issue: 'https://git.example.org/shop/issues/new?title={title}',
    firing: 1,
    firedAgo: 26 * MINUTE_S,
  },
  {
    id: 5,
    name: 'many hosts silent',
    when: { kind: 'agent.outage' },
    channels: [1, 3],
    firing: 1,
    firedAgo: 8 * MINUTE_S,
  },
  {
    id: 4,
    name: 'new errors of nginx',
    when: { kind: 'errlog.new' },
    filter: 'service:nginx',
    channels: [2],
    firedAgo: 3 * HOUR_S,
  },
  { id: 3, name: 'shipper is silent', when: { kind: 'silence', within: 900, per: 'source' }, for: 300, channels: [2] },
  {
    id: 2,
    name: 'tokens expire',
    when: { kind: 'token.expiring', within: 7 * DAY_S },
    channels: [4],
    firing: 1,
    firedAgo: 2 * DAY_S,
  },
  {
    id: 1,
    name: 'sign-ins fail',
    when: { kind: 'signin.failed', count: 20, within: 600 },
    channels: [1],
    enabled: false,
  },
];

/** Creates the rules, newest first. */
export const makeAlertRules = (nowS: number): AlertRule[] =>
  RULES.map(({ firedAgo, ...rule }) =>
    build.alertRule({
      enabled: true,
      cooldown: ALERT_COOLDOWN_S,
      last_fired: firedAgo === undefined ? null : nowS - firedAgo,
      created: nowS - (40 - rule.id) * DAY_S,
      created_by: 'admin',
      modified: nowS - (20 - rule.id) * DAY_S,
      ...rule,
    }),
  );

const [, CURRENCY] = STORIES;

/** A group of an error as the alerts name it. */
const subject = (entries: readonly ErrlogEntry[]) => ({
  key: `group:${entries[0]?.id ?? 1}`,
  groups: entries.map(({ id }) => id),
});

/** Creates the alerts: an outage with what is grouped under it, errors with their causes, and some that ended. */
export function makeAlerts(
  { errlog, outages, agents }: Pick<Fleet, 'errlog' | 'outages' | 'agents'>,
  nowS: number,
): Alert[] {
  const story = errlog.filter(({ log }) => log === CURRENCY?.log);
  const refused = errlog.filter(({ log }) => /connection (refused|pool)/i.test(log)).slice(0, 1);
  const newest = errlog.slice(0, 1);
  const outage = outages.find(({ ended }) => ended === null);
  const lost = outage?.lost ?? 0;
  const deployed = agents.filter(({ hostname }) => hostname.startsWith('api-')).length;
  const of = (
    id: number,
    kind: Alert['kind'],
    rule: string,
    ruleId: number,
    ago: number,
    over: Partial<Alert>,
  ): Alert =>
    build.alert({ id, rule_id: ruleId, rule, kind, groups: [], since: nowS - ago, fired: nowS - ago + 10, ...over });
  return [
    of(9, 'errlog.new', 'new errors of nginx', 4, 7 * MINUTE_S, {
      ...subject(refused),
      title: `New error of ${refused[0]?.source ?? 'a host'}: ${refused[0]?.log ?? ''}`,
      cause: noCause('Too early: hosts report their changes within a minute or two.', nowS + 3 * MINUTE_S),
      state: 'resolved',
      parent_id: 8,
      messages: 0,
      fired: null,
      resolved: nowS - 7 * MINUTE_S,
    }),
    of(8, 'agent.outage', 'many hosts silent', 5, 8 * MINUTE_S, {
      key: `outage:${outage?.id ?? 1}`,
      title: `${lost} agents went silent together`,
      detail: { lost, hosts: (outage?.sample ?? []).map(({ hostname }) => hostname) },
      under: 1,
      assigned: { id: 2, username: 'night-shift' },
    }),
    of(7, 'errlog.count', 'checkout errors', 6, 26 * MINUTE_S, {
      ...subject(story),
      title: `412 in 5m: ${story[0]?.log ?? ''}`,
      detail: { n: 412, within: 300, service: 'checkout' },
      cause: changeCause(
        '5 of 5 failing hosts had the deployment checkout 2.9.0 4 min before (api-fra-1, api-fra-2, api-fra-3, 2 more); ' +
          `${deployed - 5} of ${agents.length - 5} others did`,
        { id: 1, name: 'checkout', from: '2.8.4', to: '2.9.0' },
        { time: nowS - DEPLOYED_AGO_S, before: 4 * MINUTE_S },
      ),
      acknowledged: { time: nowS - 20 * MINUTE_S, by: 'on-call', note: 'rolling back to 2.8.4' },
      assigned: { id: 3, username: 'on-call' },
    }),
    of(6, 'token.expiring', 'tokens expire', 2, 2 * DAY_S, {
      key: 'token:2',
      title: 'The API token grafana expires in 5 days',
      detail: { name: 'grafana', days: 5 },
    }),
    of(5, 'errlog.new', 'new errors of nginx', 4, 3 * HOUR_S, {
      ...subject(newest),
      title: `New error of ${newest[0]?.source ?? ''}: ${newest[0]?.log ?? ''}`,
      cause: noCause('No change stands out in the hour before.', null),
      state: 'resolved',
      resolved: nowS - 3 * HOUR_S,
    }),
    of(4, 'silence', 'shipper is silent', 3, 20 * HOUR_S, {
      key: `source:${errlog[1]?.src ?? 1}`,
      title: `${errlog[1]?.source ?? 'A source'} has sent nothing for 15m`,
      state: 'resolved',
      messages: 2,
      resolved: nowS - 19 * HOUR_S,
    }),
  ];
}

/** Creates the channels, newest first. */
export const makeWebhooks = (nowS: number): Webhook[] => {
  const of = (id: number, name: string, kind: Webhook['kind'], rules: number, over: Partial<Webhook>): Webhook => {
    const times = { created: nowS - (90 - id) * DAY_S, modified: nowS - (30 - id) * DAY_S };
    return build.webhook({ id, name, kind, rules, enabled: true, created_by: 'admin', ...times, ...over });
  };
  return [
    of(4, 'token owners', 'email', 1, { to: ['platform@example.org', 'security@example.org'] }),
    of(3, 'alertmanager', 'alertmanager', 1, { url: 'https://alerts.example.org/api/v2/alerts' }),
    of(2, 'team chat', 'slack', 3, { url: 'https://hooks.slack.example.org' }),
    of(1, 'pager', 'standard', 3, {
      url: 'https://pager.example.org/hooks/quarterdeck',
      types: ['agent.outage'],
      waiting: 2,
      dead: 1,
      failing_since: nowS - 6 * MINUTE_S,
    }),
  ];
};

/** Creates the deliveries of a channel, newest first. */
export function makeDeliveries(channel: Webhook, alerts: readonly Alert[], nowS: number): WebhookDelivery[] {
  const isFailing = channel.failing_since !== null;
  return alerts
    .filter(({ messages }) => messages > 0)
    .map((alert, index): WebhookDelivery => {
      const created = alert.fired ?? alert.since;
      const isDead = isFailing && index === 2;
      const isWaiting = isFailing && index < 2;
      const attempts = isWaiting ? 4 - index : 1;
      return {
        id: channel.id * 1_000 + alerts.length - index,
        message_id: `msg_demo${channel.id}${alert.id}`,
        type: alert.state === 'resolved' ? 'alert.resolved' : 'alert.firing',
        state: isWaiting ? 'waiting' : isDead ? 'dead' : 'delivered',
        attempts: isDead ? 14 : attempts,
        created,
        next_attempt: isWaiting ? nowS + 80 : null,
        last_attempt: isWaiting ? nowS - 40 : created + 1,
        status: isWaiting || isDead ? 503 : 200,
        error: isWaiting || isDead ? 'The receiver answers 503: upstream is restarting' : '',
        answer: '',
        body: { type: 'alert.firing', timestamp: new Date(created * 1_000).toISOString(), data: alert },
        needs: null,
      };
    });
}
