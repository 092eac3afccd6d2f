// The content of a message for people, which each kind of channel shows in its own form.
import type { EventType, MessagePart } from '@quarterdeck/core';
import { causeFact, countFact, hostsFact, noteFacts, vitalsFacts, whatFact, withEvidenceOf } from './error-facts.ts';
import { EXAMPLE_LISTS, type Fact, fact, factsOf } from './facts.ts';
import {
  clockOf,
  durationOf,
  expiryOf,
  isData,
  levelOf,
  type MessageData,
  type Severity,
  severityOf,
  textOf,
  timeOf,
} from './message-data.ts';
import { oneLine } from './message-text.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

const errorTitle = (what: string) => (data: MessageData) => {
  const where = textOf(data['host']) || textOf(data['source']);
  return `${what}${where && ` on ${where}`}: ${levelOf(data['level'])} ${textOf(data['log'])}`;
};

const agentTitle = (what: string) => (data: MessageData) =>
  `Agent ${textOf(data['hostname']) || textOf(data['node_id']) || textOf(data['id'])} ${what}`;

function outageTitle({ lost, ended }: MessageData): string {
  return typeof ended === 'number'
    ? `An outage of ${textOf(lost)} agents ended`
    : `${textOf(lost)} agents stopped reporting at once`;
}

function changeTitle({ kind, name, before, after }: MessageData): string {
  const values = [textOf(before), textOf(after)].filter((value) => value !== '').join(' → ');
  return `Change: ${textOf(kind)} of ${textOf(name)} ${values}`;
}

const tokenOf = ({ name, id }: MessageData) => `API token ${textOf(name) || textOf(id)}`;

/** The last use of a token; nothing where it is unknown, as in an event of an earlier version. */
function lastUseOf({ last_used: time, last_address: address }: MessageData): string {
  if (time === null) return ', never used';
  return typeof time === 'number' ? `, last used ${timeOf(time)} from ${textOf(address)}` : '';
}

/** Types of events beside those of alerts, and of lines, which no channel gets. */
type TitledType = Exclude<EventType, `alert.${string}` | 'line' | 'line.missed'>;

/** Type of an event -> its line. */
const TITLES: Readonly<Record<TitledType, (data: MessageData) => string>> = {
  'errlog.new': errorTitle('New error'),
  'errlog.repeated': errorTitle('Error again'),
  'errlog.regressed': errorTitle('Resolved error again'),
  'errlog.changed': errorTitle('Error changed'),
  'agent.registered': agentTitle('was registered'),
  'agent.online': agentTitle('reports again'),
  'agent.offline': agentTitle('stopped reporting'),
  'agent.changed': agentTitle('changed'),
  'agent.removed': agentTitle('was deleted'),
  'agent.outage': outageTitle,
  'change.created': changeTitle,
  'token.expiring': (data) => `${tokenOf(data)} expires on ${expiryOf(data['expire'])}${lastUseOf(data)}`,
  'token.reused': (data) => `A replaced secret of ${tokenOf(data)} was used from ${textOf(data['address'])}`,
  'token.revoked': (data) => `${tokenOf(data)} was changed, disabled or deleted`,
  'user.revoked': ({ id }) => `User ${textOf(id)} was changed, disabled or signed out`,
  resync: ({ reason }) => `Events were lost: ${textOf(reason)}`,
};

/** One line about an event; its type where the type is unknown. */
const eventTitle = (type: string, data: MessageData): string =>
  Object.hasOwn(TITLES, type) ? TITLES[type as TitledType](data) : type;

/** State of an alert in a message. */
export type MessageState = 'firing' | 'updated' | 'acknowledged' | 'assigned' | 'resolved' | 'test' | 'event';

/** A page for people. */
export interface Link {
  readonly title: string;
  readonly url: string;
}

/** A message as people read it: lines of visible text of bounded length, which formats still escape. */
export interface Summary {
  /** The title behind the prefix of the channel and the word of the state. */
  readonly heading: string;
  readonly title: string;
  readonly state: MessageState;
  readonly severity: Severity;
  readonly facts: readonly Fact[];
  /** Log lines, newest first. */
  readonly lines: readonly string[];
  /** Facts that follow the lines. */
  readonly notes: readonly Fact[];
  /** The first one is that of the alert, if it has a page. */
  readonly links: readonly Link[];
}

/** Most characters of a title, a line and a link. */
const TITLE_MAX = 200;
const LINE_MAX = 300;
const LINK_MAX = 2000;
/** Most lines of a message, and of one without lines of its own. */
const LINES_MAX = 5;
const EXAMPLES_MAX = 3;
const NOTE_MAX = 300;

/** State of a message, and the words before its title. */
const STATES: Readonly<Record<string, readonly [state: MessageState, words: string]>> = {
  'alert.firing': ['firing', 'FIRING: '],
  'alert.updated': ['updated', 'UPDATED: '],
  'alert.acknowledged': ['acknowledged', 'ACKNOWLEDGED: '],
  'alert.assigned': ['assigned', 'ASSIGNED: '],
  'alert.resolved': ['resolved', 'RESOLVED: '],
  'alert.test': ['test', 'TEST: '],
  'webhook.test': ['test', 'TEST: '],
};

const LINKS = [
  ['alert', 'Alert'],
  ['error', 'Error'],
  ['change', 'Change'],
  ['runbook', 'Runbook'],
  ['issue', 'New issue'],
] as const;

/** A link that people can open; undefined for anything else. */
function linkOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, href } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && href.length <= LINK_MAX ? href : undefined;
}

function linksOf(data: MessageData): Link[] {
  const links = isData(data['links']) ? data['links'] : {};
  // A message that was stored before an upgrade has one address.
  return LINKS.flatMap(([name, title]) => {
    const url = linkOf(links[name] ?? (name === 'alert' ? data['url'] : undefined));
    return url === undefined ? [] : { title, url };
  });
}

/** Events of an alert since it began: its end, who has seen it, and who works on it. */
function storyOf({ acknowledged, assigned, resolved, since }: MessageData, nowS: number): Fact[] {
  const facts: Fact[] = [];
  if (typeof resolved === 'number' && typeof since === 'number') {
    facts.push(fact('Ended', `${clockOf(resolved, nowS)}, after ${durationOf(resolved - since)}`));
  }
  if (isData(acknowledged)) {
    const { by, time, note } = acknowledged;
    facts.push(
      fact('Acknowledged', `${clockOf(time, nowS)} by ${textOf(by)}${textOf(note) && `: ${textOf(note)}`}`, NOTE_MAX),
    );
  }
  if (isData(assigned)) facts.push(fact('Assigned', textOf(assigned['username'])));
  return facts;
}

function linesOf(data: MessageData, detail: MessageData): string[] {
  const own = Array.isArray(data['lines']) ? data['lines'].slice(0, LINES_MAX) : [];
  const lists = EXAMPLE_LISTS.map((field) => detail[field]).filter(Array.isArray);
  const examples = [
    ...lists.flatMap((list) => list.slice(0, EXAMPLES_MAX)),
    detail['log'],
    detail['text'],
    data['log'],
  ];
  const texts = (own.length > 0 ? own : examples).map((one) =>
    isData(one) ? textOf(one['log'] ?? one['text'] ?? one['title']) : textOf(one),
  );
  const lines = texts.map((text) => oneLine(text, LINE_MAX)).filter((line) => line !== '');
  return own.length > 0 ? counted(lines) : [...new Set(lines)].slice(0, EXAMPLES_MAX);
}

/** Lines without those that are equal to an earlier one, which has their number. */
function counted(lines: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  return [...times].map(([line, n]) => (n === 1 ? line : `${n} times: ${line}`));
}

/** Facts about the error of an alert, in the order of the questions of people. */
function errorFacts(data: MessageData, what: MessageData, has: (part: MessagePart) => boolean, nowS: number): Fact[] {
  const { counts, hosts, cause, rule } = data;
  return [
    whatFact(what),
    ...storyOf(data, nowS),
    ...(has('counts') && isData(counts) ? [countFact(counts, nowS)] : []),
    ...(has('hosts') && isData(hosts) ? [hostsFact(hosts)] : []),
    ...(has('cause') ? vitalsFacts(data) : []),
    ...(has('cause') && isData(cause) ? [causeFact(cause, nowS)] : []),
    ...(has('facts') && textOf(rule) !== '' ? [fact('Rule', textOf(rule))] : []),
  ];
}

/** Facts of an alert about something else. Its end, and who has seen it, are facts of their own. */
function plainFacts(data: MessageData, detail: MessageData, has: (part: MessagePart) => boolean, nowS: number): Fact[] {
  const { rule, kind, under, since, resolved } = data;
  const story = storyOf(data, nowS);
  if (!has('facts')) return story;
  const until = story.some(({ name }) => name === 'Ended') ? undefined : resolved;
  return [...story, ...factsOf({ ...detail, rule, kind, under, since, resolved: until, state: undefined }, detail)];
}

/** Title of an alert, or of a test, which has the name of its rule alone. */
function alertTitle({ title, text, rule }: MessageData): string {
  const ofRule = textOf(rule) === '' ? 'Message of Quarterdeck' : `Test message of the rule ${textOf(rule)}`;
  return textOf(title ?? text) || ofRule;
}

const parsed = (body: string): { readonly type?: unknown; readonly timestamp?: unknown; readonly data?: unknown } =>
  JSON.parse(body);

/** Reads a message for a channel. One that amends another keeps what that one said. */
export function readSummary(
  { body, earlier }: Pick<StoredMessage, 'body' | 'earlier'>,
  { prefix, parts }: Pick<OpenChannel, 'prefix' | 'parts'>,
): Summary {
  const { type: givenType, timestamp, data: given } = parsed(body);
  const type = textOf(givenType);
  const before = earlier === undefined || earlier.body === '' ? undefined : parsed(earlier.body).data;
  const own = isData(given) ? given : {};
  const data = isData(before) ? withEvidenceOf(own, before) : own;
  const nowS = Date.parse(textOf(timestamp)) / 1000 || 0;
  const has = (part: MessagePart) => parts.length === 0 || parts.includes(part);
  const [state, words] = Object.hasOwn(STATES, type)
    ? (STATES[type] as readonly [MessageState, string])
    : ['event' as const, ''];
  const isAlert = state !== 'event';
  const detail = isAlert && isData(data['detail']) ? data['detail'] : {};
  const title = oneLine(isAlert ? alertTitle(data) : eventTitle(type, data), TITLE_MAX);
  const what = isAlert && isData(data['what']) ? data['what'] : undefined;
  const factsFor = () => {
    if (what !== undefined) return errorFacts(data, what, has, nowS);
    if (isAlert) return plainFacts(data, detail, has, nowS);
    return has('facts') ? factsOf(data, {}) : [];
  };
  return {
    heading: oneLine(`${prefix} ${words}${title}`, 2 * TITLE_MAX),
    title,
    state,
    severity: isAlert ? severityOf(data) : 'info',
    facts: factsFor(),
    lines: has('lines') ? linesOf(data, detail) : [],
    notes: what === undefined ? [] : noteFacts(data),
    // The link of an event is text from outside.
    links: isAlert && has('links') ? linksOf(data) : [],
  };
}
