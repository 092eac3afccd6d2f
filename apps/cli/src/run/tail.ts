// Prints the last lines of a filter, and the lines to come.
import { quoteText } from '@quarterdeck/core/filter';
import { levelName } from '@quarterdeck/core/plain';
import type { EventFilter, Line } from '@quarterdeck/sdk';
import { cut } from '@quarterdeck/tui/text';
import { fullTime } from '@quarterdeck/views/text';
import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { cellText, valueAt } from '../output/cells.ts';
import { csvText, printData } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { type Io, say, write } from '../terminal/io.ts';
import { queryOf } from './rows.ts';
import { warnOfUnusedFields } from './unused-fields.ts';

const COLUMNS = ['time', 'level', 'host', 'service', 'log'];

/** Options of the list as terms of the filter language: the event stream has only some of them as fields. */
const TERMS: Readonly<Record<string, (value: string) => string>> = {
  host: (value) => `host:${quoteText(value)}`,
  service: (value) => `service:${quoteText(value)}`,
  req_id: (value) => `req:${quoteText(value)}`,
  src: (value) => `src:${value}`,
  app_id: (value) => `app:${value}`,
  group: (value) => `group:${value}`,
  level: (value) => `level:${levelName(Number(value)).toLowerCase()}`,
  level_max: (value) => `level:>=${levelName(Number(value)).toLowerCase()}`,
  q: quoteText,
  filter: (value) => `(${value})`,
};

/** Filter of the event stream that selects the lines to come as the list selects those before. */
function liveFilter({ start_time: _start, ...query }: Record<string, unknown>): EventFilter {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const terms = given.flatMap(([name, value]) => TERMS[name]?.(String(value)) ?? []);
  const others = Object.fromEntries(given.filter(([name]) => TERMS[name] === undefined));
  return { ...others, ...(terms.length === 0 ? {} : { filter: terms.join(' ') }) };
}

/** Prints lines oldest first; with `--follow` it ends only when interrupted. */
export async function runTail({ values, program }: Invocation): Promise<undefined> {
  const { io } = program;
  const { client } = connect(program, values);
  const count = (values['lines'] as number | undefined) ?? 10;
  if (!Number.isInteger(count) || count < 0) throw usage('--lines must be a whole number from 0.');
  const filter = values['filter'] as string | undefined;
  const query = { ...queryOf({ endpoint: 'line.list' }, values), ...(filter === undefined ? {} : { filter }) };
  const print = printer(io, values);

  const opened = Promise.withResolvers<void>();
  const events =
    values['follow'] === true
      ? client.events({
          types: ['line'],
          filter: liveFilter(query),
          onStatus: (status, { retryInMs }) => {
            if (status === 'open') opened.resolve();
            if (status === 'lost')
              io.stderr.write(`Connection lost; retrying in ${Math.ceil((retryInMs ?? 0) / 1000)} s.\n`);
          },
        })
      : undefined;
  // Listens before it reads, so that no line is lost in between.
  const first = events?.next();
  if (first !== undefined) await Promise.race([opened.promise, first]);

  const last: Line[] = [];
  if (count > 0) {
    for await (const line of client.lines(query, { pageSize: Math.min(1_000, count) })) {
      last.push(line);
      if (last.length >= count) break;
    }
  }
  const seen = new Set(last.map(({ id }) => id));
  for (const line of last.toReversed()) await print(line);
  const fields = new Set(last.flatMap(({ fields: own }) => Object.keys(own)));
  await warnOfUnusedFields(program, client, filter, { count: last.length, fields });
  if (events === undefined || first === undefined) return;
  for (let next = await first; next.done !== true; next = await events.next()) {
    const event = next.value;
    if (event.type === 'line' && !seen.delete(event.data.id)) await print(event.data);
    if (event.type === 'line.missed') await say(io, `${event.data.count} lines were left out: too many at once.`);
  }
}

/** Prints a row at a time: the width of later ones is not known. */
function printer(io: Io, values: Invocation['values']): (line: Line) => Promise<void> {
  const format = values['output'] ?? 'table';
  const names = (values['columns'] as readonly string[] | undefined) ?? COLUMNS;
  if (format === 'csv') {
    return (line) => write(io.stdout, csvText(io, names, line));
  }
  if (format === 'yaml') throw usage('-o yaml cannot follow; use -o ndjson.');
  if (format === 'json' || format === 'ndjson') {
    const chosen = values['columns'] === undefined ? undefined : names;
    return (line) =>
      printData(
        io,
        chosen === undefined ? line : Object.fromEntries(chosen.map((n) => [n, valueAt(line, n) ?? null])),
        'ndjson',
      );
  }
  return (line) => {
    const text = names
      .map((name) => (name === 'time' ? fullTime(line.time * 1000) : cellText(name, valueAt(line, name))))
      .join(' ');
    return write(io.stdout, `${io.stdout.isTTY === true ? cut(text, io.stdout.columns) : text}\n`);
  };
}
