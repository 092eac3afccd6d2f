// Requests about alerts and their rules.
import { ALERT_RULES_MAX, WEBHOOKS_MAX } from '@quarterdeck/core/plain';
import type {
  Alert,
  AlertChannel,
  AlertExplanation,
  AlertPreview,
  AlertRule,
  AlertRuleChange,
  AlertRuleDraft,
  Client,
} from '@quarterdeck/sdk';
import type { FeedEvent } from '../live/feed.ts';
import { clean } from '../text/clean.ts';
import { grouped } from '../text/format.ts';
import type { Message } from '../text/tone.ts';

/** Longest title of an alert in a message, characters. */
const TITLE_MAX = 200;
/** Most alerts of each state that the list shows. */
const ALERTS_MAX = 1_000;
/** Most firing alerts that are counted. */
const COUNTED_MAX = 100;

/** Events that carry an alert. */
const ALERT_EVENTS: readonly string[] = [
  'alert.firing',
  'alert.updated',
  'alert.acknowledged',
  'alert.assigned',
  'alert.resolved',
];

/** Reports whether an event changes the list of alerts. */
export const isAboutAlerts = ({ type, data }: FeedEvent): boolean =>
  ALERT_EVENTS.includes(type) || (type === 'resync' && data.of === 'all');

/** The alerts of all states. */
export interface Alerts {
  /** Alerts that fire, then those that wait, then those that ended; newest first. */
  readonly rows: readonly Alert[];
  /** Number of all of them. */
  readonly total: number;
}

/** Reads the alerts of all states. */
export async function readAlerts(client: Client, signal: AbortSignal): Promise<Alerts> {
  const pages = await Promise.all(
    (['firing', 'pending', 'resolved'] as const).map((state) =>
      client.alert.instances({ query: { state, start: 0, end: ALERTS_MAX } }, { signal }),
    ),
  );
  return {
    rows: withChildren(pages.flatMap(({ data }) => data)),
    total: pages.reduce((sum, { meta }) => sum + meta.count, 0),
  };
}

/** Moves the alerts that are grouped under another one behind it. */
function withChildren(alerts: readonly Alert[]): Alert[] {
  const ids = new Set(alerts.map(({ id }) => id));
  const parentOf = ({ parent_id: parent }: Alert): number | null =>
    parent !== null && ids.has(parent) ? parent : null;
  const children = Map.groupBy(alerts, parentOf);
  return (children.get(null) ?? []).flatMap((alert) => [alert, ...(children.get(alert.id) ?? [])]);
}

/** Says that the caller has seen an alert. */
export const acknowledgeAlert = (client: Client, id: number, note: string): Promise<Alert> =>
  client.alert.acknowledge({ params: { id }, body: { note } });

/** Says who works on an alert; null for nobody. */
export const assignAlert = (client: Client, id: number, user: number | null): Promise<Alert> =>
  client.alert.assign({ params: { id }, body: { user } });

/** Mutes an alert until a time, or ends that with 0. */
export const muteAlert = (client: Client, id: number, until: string | number): Promise<Alert> =>
  client.alert.mute({ params: { id }, body: { until } });

/** The alerts that fire now, without those that are grouped under another one. */
export interface Firing {
  readonly alerts: readonly Alert[];
  /** More of them fire than were read. */
  readonly isPart: boolean;
}

/** Reads the alerts that fire now. */
export async function readFiring(client: Client, signal: AbortSignal): Promise<Firing> {
  const query = { state: 'firing' as const, start: 0, end: COUNTED_MAX };
  const { data, meta } = await client.alert.instances({ query }, { signal });
  return { alerts: data.filter(({ parent_id: parent }) => parent === null), isPart: meta.count > data.length };
}

/** The number of alerts that fire, `100+` where not all were read; empty for none. */
export const firingCount = (firing: Firing | undefined): string =>
  firing === undefined || firing.alerts.length === 0
    ? ''
    : `${grouped(firing.alerts.length)}${firing.isPart ? '+' : ''}`;

/** The newest alert that fires, and the number of the others; null for none. `way`: sentences that lead to all. */
export function firingMessage(firing: Firing | undefined, way: readonly string[]): Message | null {
  const [newest, ...others] = firing?.alerts ?? [];
  if (newest === undefined) return null;
  const title = clean(newest.title.slice(0, TITLE_MAX)).replace(/\.$/, '');
  const more =
    others.length === 0 ? '' : ` ${grouped(others.length)}${firing?.isPart === true ? '+' : ''} more firing.`;
  return { tone: 'bad', text: [`${title}.${more}`, ...way].join(' ') };
}

/** A rule, and the names of its channels. */
export interface RuleRow extends AlertRule {
  readonly channelNames: readonly string[];
}

/** All rules, and the channels that they can send to. */
export interface Rules {
  readonly rows: readonly RuleRow[];
  readonly channels: readonly AlertChannel[];
}

export async function readRules(client: Client, signal: AbortSignal): Promise<Rules> {
  const [rules, channels] = await Promise.all([
    client.alert.list({ query: { start: 0, end: ALERT_RULES_MAX } }, { signal }),
    client.alert.channels({ query: { start: 0, end: WEBHOOKS_MAX } }, { signal }),
  ]);
  const names = new Map(channels.data.map(({ id, name }) => [id, name]));
  return {
    rows: rules.data.map((rule) => ({ ...rule, channelNames: rule.channels.map((id) => names.get(id) ?? `#${id}`) })),
    channels: channels.data,
  };
}

/** Counts how often a rule would have fired in the last 24 hours. */
export const previewRule = (client: Client, body: AlertRuleDraft): Promise<AlertPreview> =>
  client.alert.preview({ body });

/** Reads why a rule fires or does not fire now. */
export const explainRule = (client: Client, id: number): Promise<AlertExplanation> =>
  client.alert.explain({ params: { id }, body: {} });

export const createRule = (client: Client, body: AlertRuleDraft): Promise<AlertRule> => client.alert.create({ body });

export const updateRule = (client: Client, id: number, body: AlertRuleChange): Promise<AlertRule> =>
  client.alert.update({ params: { id }, body });

export const removeRule = (client: Client, id: number): Promise<undefined> => client.alert.remove({ params: { id } });

/** Sends a test message to the channels of a rule; returns their ids. */
export const testRule = async (client: Client, id: number): Promise<readonly number[]> =>
  (await client.alert.test({ params: { id } })).channels;
