// Reads the entries of a server in the form of files.
import { isApiError, type ListCall, paginate } from '@quarterdeck/sdk';
import { type Connection, endpointCall } from '../account/connection.ts';
import { type EndpointName, endpointOf, type Values } from '../command/command.ts';
import { CommandError } from '../process/command-error.ts';
import { fieldsOfNoun, type NounName, nounOf } from './nouns.ts';

/** An entry of the server. */
export interface Existing {
  readonly id: number;
  readonly name: string;
  /** Its fields as files have them: channels by their names. */
  readonly fields: Values;
  /** Time of its creation, Unix seconds. */
  readonly created: number;
  /** Time of its last change, which stands for fields that are not shown; undefined where the noun has none. */
  readonly modified: unknown;
  /** Names of the secrets that it has; undefined where answers do not tell. */
  readonly secrets: ReadonlySet<string> | undefined;
}

/** Names of channels by their ids. */
export type ChannelNames = ReadonlyMap<number, string>;

const PAGE = 1_000;

async function readAll({ client }: Connection, endpoint: EndpointName): Promise<Values[]> {
  const call = endpointCall(client, endpoint) as unknown as ListCall<never, never>;
  const rows: Values[] = [];
  for await (const row of paginate(call, {} as never, { pageSize: PAGE })) rows.push(row as Values);
  return rows;
}

/** Reads the names of the channels, as those see them who may name them in rules. */
export async function readChannelNames(connection: Connection): Promise<ChannelNames> {
  const rows = await readAll(connection, 'alert.channels');
  return new Map(rows.map(({ id, name }) => [Number(id), String(name)]));
}

/** Converts a row of an answer. */
export function toExisting(name: NounName, row: Values, channels: ChannelNames): Existing {
  const noun = nounOf(name);
  const fields: Record<string, unknown> = {};
  for (const field of fieldsOfNoun(noun)) {
    const value = row[field];
    fields[field] =
      field === noun.channelsField ? (value as number[]).map((id) => channels.get(id) ?? `id ${id}`) : value;
  }
  return {
    id: Number(row['id']),
    name: String(row[noun.nameField]),
    fields,
    created: Number(row['created'] ?? row['_created_unix']),
    modified: row['modified'] ?? row['_modified_unix'],
    secrets: Array.isArray(row['secrets']) ? new Set(row['secrets'].map(String)) : undefined,
  };
}

/**
 * Reads all entries of a noun.
 *
 * @throws CommandError `notAllowed` where the caller may not read them
 */
export async function readExisting(
  connection: Connection,
  name: NounName,
  channels: ChannelNames,
): Promise<Existing[]> {
  const { endpoints, describes = () => true } = nounOf(name);
  const rows = await readAll(connection, endpoints.list).catch((error: unknown) => {
    if (!isApiError(error) || !['forbidden', 'scope_missing'].includes(error.code)) throw error;
    throw new CommandError('notAllowed', `${name} cannot be read: this needs ${endpointOf(endpoints.list).access}.`);
  });
  return rows.filter(describes).map((row) => toExisting(name, row, channels));
}
