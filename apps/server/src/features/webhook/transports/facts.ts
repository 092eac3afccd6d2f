// The facts of a message: fields of its data as names and values for people.
import { capitalized, expiryOf, isData, levelOf, type MessageData, textOf, timeOf } from './message-data.ts';
import { oneLine } from './message-text.ts';

/** A name with a value, such as the host. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Most characters of the name and of the value of a fact. */
const NAME_MAX = 40;
const VALUE_MAX = 200;
/** Most facts of a message. */
const FACTS_MAX = 12;
/** Most names of a list in the value of a fact. */
export const NAMES_MAX = 5;

/** Names of a list, or of its objects. */
export function namesOf(value: unknown): string {
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
  last_used: ['Last used', (value) => (value === null ? 'never' : timeOf(value))],
  last_address: ['Last used from', textOf],
  last_client: ['Last used by', textOf],
  created: ['Created', timeOf],
  created_by: ['Created by', textOf],
  within: ['Within', secondsOf],
  reason: ['Reason', textOf],
  note: ['Note', textOf],
};

/** Fields of the details of an alert that are no facts. */
const NO_FACTS = /^(title|log|text|url|id|src|.*_id)$/;
/** Lists of log lines. */
export const EXAMPLE_LISTS: readonly string[] = ['examples', 'lines'];

/** A fact of a field that is not in the table: `away_s` becomes `Away: 20 s`. */
function otherFact(field: string, value: unknown): Fact {
  if (field.endsWith('_s')) return { name: asWords(field.slice(0, -'_s'.length)), value: secondsOf(value) };
  if (field.endsWith('_bytes')) return { name: asWords(field.slice(0, -'_bytes'.length)), value: sizeOf(value) };
  return { name: asWords(field), value: namesOf(value) };
}

/** A fact of bounded visible text. */
export const fact = (name: string, value: string, max: number = VALUE_MAX): Fact => ({
  name: oneLine(name, NAME_MAX),
  value: oneLine(value, max),
});

/** Facts of the fields of a message, and of the details of an alert. */
export function factsOf(all: MessageData, detail: MessageData): Fact[] {
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
    .map(({ name, value }) => fact(name, value));
}

/** Formats the name of a field for people: `used_bytes` becomes `Used bytes`. */
const asWords = (field: string) => capitalized(field.replaceAll('_', ' '));
