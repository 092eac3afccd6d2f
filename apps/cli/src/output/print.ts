// Prints the objects of an answer in the format that the options name.
import { cleanJson, cleanLines } from '@quarterdeck/views/text';
import type { Values } from '../command/command.ts';
import type { Format } from '../command/flags.ts';
import { CommandError, usage } from '../process/command-error.ts';
import { type Io, shown, write } from '../terminal/io.ts';
import { csvCell, type Row, valueAt } from './cells.ts';
import { recordText, surfaceOf, tableText } from './table.ts';

/** Columns of a table: the usual ones, and those that `-o wide` adds. */
export interface Columns {
  readonly columns: readonly string[];
  readonly wide?: readonly string[];
}

const formatOf = (values: Values): Format => (values['output'] as Format | undefined) ?? 'table';
const chosenColumns = (values: Values): readonly string[] | undefined => {
  const names = values['columns'] as readonly string[] | undefined;
  if (names?.length === 0) throw usage('--columns needs the name of a field.');
  return names;
};

/** Returns the row with the chosen columns only; their paths are the names. */
const pick = (row: Row, names: readonly string[] | undefined): Row =>
  names === undefined ? row : Object.fromEntries(names.map((name) => [name, valueAt(row, name) ?? null]));

/** Prints rows. Formats with one row a line print each row as it comes. */
export async function printRows(
  io: Io,
  rows: AsyncIterable<Row> | Iterable<Row>,
  { columns, wide = [] }: Columns,
  values: Values,
): Promise<number> {
  const chosen = chosenColumns(values);
  const format = formatOf(values);
  let count = 0;
  const each = async (text: (row: Row) => string): Promise<number> => {
    for await (const row of rows) {
      count += 1;
      await write(io.stdout, text(row));
    }
    return count;
  };
  if (values['quiet'] === true) return each((row) => `${cleanLines(String(idOf(row))).join(' ')}\n`);
  if (values['jq'] !== undefined) {
    const all = await collect(rows);
    await printJq(
      io,
      all.map((row) => pick(row, chosen)),
      String(values['jq']),
    );
    return all.length;
  }
  if (format === 'ndjson') return each((row) => `${json(pick(row, chosen))}\n`);
  if (format === 'csv') {
    const names = chosen ?? [...columns, ...wide];
    await write(io.stdout, csvHead(io, names));
    return each((row) => csvText(io, names, row));
  }
  const all = await collect(rows);
  if (format === 'table' || format === 'wide') {
    const names = chosen ?? (format === 'wide' ? [...columns, ...wide] : columns);
    await write(io.stdout, tableText(all, names, surfaceOf(io.stdout)));
  } else
    await printData(
      io,
      all.map((row) => pick(row, chosen)),
      format,
    );
  return all.length;
}

async function collect(rows: AsyncIterable<Row> | Iterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** Prints one object; as a table, its fields one a line. */
export async function printObject(io: Io, row: Row, values: Values): Promise<void> {
  const chosen = chosenColumns(values);
  const format = formatOf(values);
  if (values['quiet'] === true) return write(io.stdout, `${idOf(row)}\n`);
  if (values['jq'] !== undefined) return printJq(io, pick(row, chosen), String(values['jq']));
  if (format === 'csv') {
    const names = chosen ?? Object.keys(row);
    await write(io.stdout, csvHead(io, names));
    return write(io.stdout, csvText(io, names, row));
  }
  if (format !== 'table' && format !== 'wide') return printData(io, pick(row, chosen), format);
  return write(io.stdout, recordText(row, chosen ?? Object.keys(row), surfaceOf(io.stdout)));
}

/** Prints an answer. In a table, those of its fields that are lists of rows come below the others. */
export async function printWithLists(
  io: Io,
  answer: Row,
  lists: Readonly<Record<string, readonly string[]>>,
  values: Values,
): Promise<undefined> {
  const isTable = ['table', 'wide'].includes(formatOf(values)) && values['jq'] === undefined;
  const fields = Object.entries(answer).filter(([name]) => !isTable || lists[name] === undefined);
  await printObject(io, Object.fromEntries(fields), values);
  if (!isTable) return;
  for (const [name, columns] of Object.entries(lists)) {
    const rows = valueAt(answer, name) as readonly Row[];
    if (rows.length === 0) continue;
    await write(io.stdout, '\n');
    await printRows(io, rows, { columns }, values);
  }
}

/** Identifier of a row. */
function idOf(row: Row): unknown {
  const id = valueAt(row, 'id') ?? valueAt(row, 'name');
  if (id === undefined) throw usage('These objects have no id; omit -q.');
  return id;
}

const json = (value: unknown): string => cleanJson(JSON.stringify(value));

/** Prints any value as JSON or YAML. */
export async function printData(
  io: Io,
  value: unknown,
  format: Exclude<Format, 'table' | 'wide' | 'csv'>,
): Promise<void> {
  if (format === 'ndjson') return write(io.stdout, `${json(value)}\n`);
  if (format === 'json') return write(io.stdout, `${cleanJson(JSON.stringify(value, null, 2))}\n`);
  const { stringify } = await import('yaml');
  return write(io.stdout, shown(io, stringify(value)));
}

const csvHead = (io: Io, names: readonly string[]): string => `${shown(io, names.map(csvCell).join(','))}\n`;

/** Formats a line of CSV. */
export const csvText = (io: Io, names: readonly string[], row: Row): string =>
  `${shown(io, names.map((name) => csvCell(valueAt(row, name))).join(','))}\n`;

async function printJq(io: Io, value: unknown, program: string): Promise<void> {
  const { raw } = await import('jq-wasm');
  let text: string;
  try {
    text = await raw(JSON.stringify(value), program, ['-r', '-c']);
  } catch (error) {
    throw new CommandError('usage', `jq: ${error instanceof Error ? error.message : 'the program failed'}`);
  }
  if (text === '') return;
  await write(io.stdout, shown(io, text.endsWith('\n') ? text : `${text}\n`));
}
