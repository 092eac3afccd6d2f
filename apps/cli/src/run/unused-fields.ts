// Tells of fields in filters that no stored line has, and of labels that no agent has. Both may have any name, so a
// misspelt one is no mistake of the language: `levl:error` finds nothing, and `-levl:error` everything.
import {
  AGENT_FIELDS,
  FILTER_NAMES,
  type FieldNames,
  type Filter,
  FilterError,
  fieldOfLine,
  labelOfName,
  parseFilter,
  termsOf,
} from '@quarterdeck/core/filter';
import { nearest } from '@quarterdeck/core/plain';
import type { Client } from '@quarterdeck/sdk';
import type { Values } from '../command/command.ts';
import type { Program } from '../command/program.ts';
import { valueAt } from '../output/cells.ts';
import { say } from '../terminal/io.ts';

/** Seconds of lines that are asked for a field. */
const LOOKED_AT_S = 86_400;
/** Most fields of a filter that are looked for: each costs a request. */
const FIELDS_MAX = 5;
/** Labels that the server counts at most. */
const LABELS_COUNTED = 1000;
/** Lines whose fields are known names. */
const SAMPLE = 200;

/** Result of a command, which may show that a field exists. */
interface Found {
  /** Number of things that matched. */
  readonly count: number;
  /** Fields of the lines that matched. */
  readonly fields?: ReadonlySet<string>;
}

/**
 * Says on standard error which fields of a filter no stored line of the last day has. Asks the server only where the
 * result does not show that the field exists. A server that refuses to tell is no failure of the command.
 */
export async function warnOfUnusedFields(
  { io, now }: Pick<Program, 'io' | 'now'>,
  client: Client,
  text: string | undefined,
  found: Found = { count: 0 },
): Promise<void> {
  const filter = text === undefined ? undefined : parsed(text);
  if (filter === undefined) return;
  const doubtful = doubtfulFields(filter, found).slice(0, FIELDS_MAX);
  const start_time = Math.floor(now() / 1000) - LOOKED_AT_S;
  let known: readonly string[] | undefined;
  for (const field of doubtful) {
    const use = await useOf(client, field, start_time);
    if (use === 'used') continue;
    known ??= [...FILTER_NAMES, ...(await sampledFields(client, start_time))];
    // Lines may have been lost, or the time of the search ran out.
    const limit = use === 'unused' ? '' : ', as far as it was seen';
    await say(
      io,
      `No stored line of the last day has a field ${JSON.stringify(field)}${limit}. ${hintFor('Fields', field, known)}`,
    );
  }
}

/** The same for a rule or a channel, whose filter may be one of agents. */
export async function warnOfUnusedFieldsOf(
  program: Pick<Program, 'io' | 'now'>,
  client: Client,
  narrowed: unknown,
): Promise<void> {
  const filter = valueAt(narrowed, 'filter');
  const isOfAgents = /^(?:agent|operation)\./.test(String(valueAt(narrowed, 'when.kind')));
  if (typeof filter === 'string' && !isOfAgents) await warnOfUnusedFields(program, client, filter);
}

/** Says on standard error which labels of `--label` and `--filter` no agent has. */
export async function warnOfUnusedLabels(
  { io }: Pick<Program, 'io'>,
  client: Client,
  { label, filter: text }: Values,
  count: number,
): Promise<void> {
  const filter = text === undefined ? undefined : parsed(String(text), AGENT_FIELDS);
  const listed = label === undefined || count > 0 ? [] : String(label).split(',');
  const filtered = filter === undefined || showsItsFields(filter, count) ? [] : termsOf(filter);
  const doubtful = new Set([
    ...listed.map((part) => part.split('=', 1)[0] ?? ''),
    ...filtered.flatMap((term) => (term.kind === 'field' ? (labelOfName(term.field) ?? []) : [])),
  ]);
  if (doubtful.size === 0) return;
  const { labels } = await client.agent.totals({ query: { include_deleted: true } }).catch(() => ({ labels: [] }));
  // Rarer labels are left out of the totals.
  if (labels.length === 0 || labels.length >= LABELS_COUNTED) return;
  const known = [...new Set(labels.map(({ value }) => value.split('=', 1)[0] ?? ''))].sort();
  for (const name of doubtful) {
    if (known.includes(name)) continue;
    await say(io, `No agent has a label ${JSON.stringify(name)}. ${hintFor('Labels', name, known)}`);
  }
}

/** Undefined for a filter that the server refuses with a message of its own. */
function parsed(text: string, names?: FieldNames): Filter | undefined {
  try {
    return parseFilter(text, names);
  } catch (error) {
    if (error instanceof FilterError) return undefined;
    throw error;
  }
}

/** Fields of lines in a filter whose existence the result does not show. */
function doubtfulFields(filter: Filter, { count, fields: seen }: Found): string[] {
  if (showsItsFields(filter, count)) return [];
  const fields = termsOf(filter).flatMap((term) => (term.kind === 'field' ? (fieldOfLine(term.field) ?? []) : []));
  return [...new Set(fields)].filter((field) => seen?.has(field) !== true);
}

/** Reports whether something matched all terms of a filter, and so has all of its fields. */
function showsItsFields(filter: Filter, count: number): boolean {
  const isPlain = ({ kind }: Filter): boolean => kind !== 'or' && kind !== 'not';
  return count > 0 && isPlain(filter) && (filter.kind !== 'and' || filter.terms.every(isPlain));
}

async function useOf(client: Client, field: string, start_time: number): Promise<'used' | 'unused' | 'not seen'> {
  try {
    const { values, meta } = await client.line.values({ query: { field, start_time, top: 1 } });
    if (values.length > 0) return 'used';
    return meta.complete ? 'unused' : 'not seen';
  } catch {
    // Not to know is no failure of the command.
    return 'used';
  }
}

async function sampledFields(client: Client, start_time: number): Promise<string[]> {
  const { data } = await client.line.list({ query: { start_time, limit: SAMPLE } }).catch(() => ({ data: [] }));
  return [...new Set(data.flatMap(({ fields }) => Object.keys(fields)))].sort();
}

/** Says which name was probably meant, else which there are. */
function hintFor(title: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? `${title}: ${known.join(', ')}.` : `Did you mean ${meant}?`;
}
