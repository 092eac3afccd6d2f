// Checks one table of a file by the schemas of the contract, as the server checks requests.
import { AppError, checkUnknownInput, type Endpoint, plainMessage } from '@quarterdeck/core';
import type { Values } from '../command/command.ts';
import type { Noun } from './nouns.ts';

/** A mistake in a field. */
export interface Problem {
  /** Name of the field, with dots before its members. */
  readonly field: string;
  readonly message: string;
}

/** A checked table. Its fields have the defaults of the contract, and are incomplete where there are problems. */
export interface Checked {
  readonly name: string;
  readonly id: number | undefined;
  readonly fields: Values;
  readonly problems: readonly Problem[];
}

/** Finds fields that the schema does not have, with the names that were probably meant. */
function unknownFields(draft: Noun['draft'], body: Values): Problem[] {
  const endpoint = { method: 'POST', path: '/', summary: '', access: 'public', body: draft, data: draft } as const;
  try {
    checkUnknownInput(endpoint satisfies Endpoint, { query: {}, body });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.fields ?? []).map(({ path, message }) => ({ field: path.replace(/^body\./, ''), message }));
  }
}

/** Names of channels that stand for ids; undefined where they are none. */
const namesIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') ? [...new Set(value)] : undefined;

/** Checks the fields of a table. */
export function checkEntry(noun: Noun, key: string, table: Values): Checked {
  const { id, ...own } = table;
  const problems: Problem[] = [];
  if (noun.nameField in own) {
    problems.push({ field: noun.nameField, message: 'is the name of the table; a table with id can rename its entry' });
  }
  const isId = id === undefined || (typeof id === 'number' && Number.isSafeInteger(id) && id > 0);
  if (!isId) problems.push({ field: 'id', message: 'must be the id of an entry on the server' });
  const body: Record<string, unknown> = { ...own, [noun.nameField]: key };
  const { channelsField } = noun;
  const channels = channelsField === undefined ? undefined : namesIn(body[channelsField]);
  if (channelsField !== undefined && body[channelsField] !== undefined) {
    if (channels === undefined) problems.push({ field: channelsField, message: 'must be a list of names of channels' });
    // The schema has ids, and a limit of their number.
    body[channelsField] = channels?.map((_, index) => index + 1);
  }
  problems.push(...unknownFields(noun.draft, body));
  const parsed = noun.draft.safeParse(body, { error: plainMessage });
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = path.join('.');
    problems.push({ field: field === noun.nameField ? '' : field, message });
  }
  const { [noun.nameField]: name, ...fields } = (parsed.data ?? body) as Record<string, unknown>;
  if (channelsField !== undefined && channels !== undefined) fields[channelsField] = channels;
  return {
    name: String(name),
    id: isId ? (id as number | undefined) : undefined,
    fields: problems.length === 0 ? (noun.complete?.(fields) ?? fields) : fields,
    problems,
  };
}
