// The content of a message for people, which slack, teams and email show in their own form.
import { eventTitle } from './event-titles.ts';
import { capitalized, expiryOf, isData, levelOf, type MessageData, textOf, timeOf } from './message-data.ts';
import { oneLine } from './message-text.ts';

/** A name with a value, such as the host. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** A message as people read it: lines of visible text of bounded length, which formats still escape. */
export interface Summary {
  /** The title, of an alert behind the word of its state. */
  readonly heading: string;
  readonly title: string;
  readonly facts: readonly Fact[];
  /** Log lines. */
  readonly examples: readonly string[];
  /** Page about it; undefined = none is known. */
  readonly url: string | undefined;
}

/** Most characters of a title, of the name and the value of a fact, and of an example. */
const TITLE_MAX = 200;
const NAME_MAX = 40;
const VALUE_MAX = 200;
const EXAMPLE_MAX = 300;
/** Most facts and examples of a message. */
const FACTS_MAX = 12;
const EXAMPLES_MAX = 3;
/** Most names of a list in the value of a fact. */
const NAMES_MAX = 5;

/** Words before the title of an alert, and of a test. */
const PREFIXES: Readonly<Record<string, string>> = {
  'alert.firing': 'FIRING: ',
  'alert.resolved': 'RESOLVED: ',
  'alert.test': 'TEST: ',
  'webhook.test': 'TEST: ',
};

/** Names of a list, or of its objects. */
function namesOf(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value);
  const names = value
    .slice(0, NAMES_MAX)
    .map((one) => (isData(one) ? textOf(one['hostname'] ?? one['name']) : textOf(one)))
    .filter((name) => name !== '');
  const more = value.length - names.length;
  return names.join(', ') + (more > 0 && names.length > 0 ? ` and ${more} more` : '');
}

const GIB = 1024 ** 3;
const sizeOf = (value: unknown) => (typeof value === 'number' ? `${(value / GIB).toFixed(1)} GiB` : '');
const secondsOf = (value: unknown) => (typeof value === 'number' ? `${value} s` : '');

/** Field -> name of the fact, and its value as text. Facts have this order. */
const FACTS: Readonly<Record<string, readonly [name: string, format: (value: unknown) => string]>> = {
  rule: ['Rule', textOf],
  kind: ['Kind', textOf],
  name: ['Name', textOf],
  service: ['Service', textOf],
  host: ['Host', textOf],
  hostname: ['Host', textOf],
  hosts: ['Hosts', namesOf],
  sample: ['Hosts', namesOf],
  source: ['Source', textOf],
  level: ['Level', levelOf],
  count: ['Count', textOf],
  n: ['Count', textOf],
  state: ['State', textOf],
  since: ['Since', timeOf],
  started: ['Since', timeOf],
  resolved: ['Until', timeOf],
  ended: ['Until', timeOf],
  first_seen: ['First seen', timeOf],
  log_time: ['Last seen', timeOf],
  under: ['Alerts below', (value) => (value === 0 ? '' : textOf(value))],
  // A number of agents, or the time at which one was lost.
  lost: ['Lost', (value) => (typeof value === 'number' && value >= 1e9 ? timeOf(value) : textOf(value))],
  returned: ['Returned', textOf],
  last_reported: ['Last report', timeOf],
  failing_since: ['Failing since', timeOf],
  last: ['Last', timeOf],
  ip: ['Address', textOf],
  address: ['Address', textOf],
  before: ['Before', textOf],
  after: ['After', textOf],
  author: ['Author', textOf],
  expire: ['Expires', expiryOf],
  created: ['Created', timeOf],
  created_by: ['Created by', textOf],
  within: ['Within', secondsOf],
  reason: ['Reason', textOf],
  note: ['Note', textOf],
};

/** Fields of the details of an alert that are no facts. */
const NO_FACTS = /^(title|log|text|url|id|src|.*_id)$/;
/** Lists of log lines. */
const EXAMPLE_LISTS: readonly string[] = ['examples', 'lines'];

/** A fact of a field that is not in the table: `away_s` becomes `Away: 20 s`. */
function otherFact(field: string, value: unknown): Fact {
  if (field.endsWith('_s')) return { name: asWords(field.slice(0, -'_s'.length)), value: secondsOf(value) };
  if (field.endsWith('_bytes')) return { name: asWords(field.slice(0, -'_bytes'.length)), value: sizeOf(value) };
  return { name: asWords(field), value: namesOf(value) };
}

function factsOf(all: MessageData, detail: MessageData): Fact[] {
  // The name of a source is usually that of its host.
  const fields = all['source'] === all['host'] ? { ...all, source: undefined } : all;
  const known = Object.entries(FACTS).map(([field, [name, format]]) => ({ name, value: format(fields[field]) }));
  const others = Object.entries(detail)
    .filter(([field]) => !Object.hasOwn(FACTS, field) && !NO_FACTS.test(field))
    .filter(([field, value]) => !(EXAMPLE_LISTS.includes(field) && Array.isArray(value)))
    .map(([field, value]) => otherFact(field, value));
  return [...known, ...others]
    .filter(({ value }) => value !== '')
    .slice(0, FACTS_MAX)
    .map(({ name, value }) => ({ name: oneLine(name, NAME_MAX), value: oneLine(value, VALUE_MAX) }));
}

/** Formats the name of a field for people: `used_bytes` becomes `Used bytes`. */
const asWords = (field: string) => capitalized(field.replaceAll('_', ' '));

function examplesOf(data: MessageData, detail: MessageData): string[] {
  const lists = EXAMPLE_LISTS.map((field) => detail[field]).filter(Array.isArray);
  const all = [...lists.flatMap((list) => list.slice(0, EXAMPLES_MAX)), detail['log'], detail['text'], data['log']];
  const texts = all.map((one) => (isData(one) ? textOf(one['log'] ?? one['text'] ?? one['title']) : textOf(one)));
  const lines = texts.map((text) => oneLine(text, EXAMPLE_MAX)).filter((line) => line !== '');
  return [...new Set(lines)].slice(0, EXAMPLES_MAX);
}

/** A link that people can open; undefined for anything else. */
function linkOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, href } = new URL(value);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

/** Reads the JSON text of a message. */
export function readSummary(body: string): Summary {
  const { type, data: given } = JSON.parse(body) as { readonly type: string; readonly data: unknown };
  const data = isData(given) ? given : {};
  const isAlert = Object.hasOwn(PREFIXES, type);
  const detail = isAlert && isData(data['detail']) ? data['detail'] : {};
  // The heading has the state. A cause without an end has ended as soon as it is told, which is no news.
  const resolved = type === 'alert.resolved' ? data['resolved'] : undefined;
  const fields = isAlert ? { ...detail, ...data, state: undefined, resolved } : data;
  const title = oneLine(
    isAlert ? textOf(data['title'] ?? data['text']) || 'Message of Quarterdeck' : eventTitle(type, data),
    TITLE_MAX,
  );
  return {
    heading: isAlert ? PREFIXES[type] + title : title,
    title,
    facts: factsOf(fields, detail),
    examples: examplesOf(data, detail),
    // The link of an event is text from outside.
    url: isAlert ? linkOf(data['url']) : undefined,
  };
}
