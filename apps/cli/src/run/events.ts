// Prints the event stream.
import type { EventFilter, SubscribableType } from '@quarterdeck/sdk';
import { cut } from '@quarterdeck/tui/text';
import { fullTime } from '@quarterdeck/views/text';
import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { cellText, type Row, valueAt } from '../output/cells.ts';
import { printData } from '../output/print.ts';
import { write } from '../terminal/io.ts';
import { warnOfUnusedFields } from './unused-fields.ts';

/** Fields that tell one object from another, in the order of their use. */
const SHOWN = ['id', 'hostname', 'name', 'level', 'state', 'count', 'lost', 'host', 'service', 'reason', 'log'];

/** Prints events until `--count` of them have come, or until interrupted. */
export async function runEvents({ values, program }: Invocation): Promise<undefined> {
  const { io, now } = program;
  const { types, filter, count = Number.POSITIVE_INFINITY, after } = values;
  const leaving = new AbortController();
  const { client } = connect(program, values);
  await warnOfUnusedFields(program, client, filter as string | undefined);
  const events = client.events({
    // The server refuses a type that it does not know.
    ...(types === undefined ? {} : { types: types as readonly SubscribableType[] }),
    ...(filter === undefined ? {} : { filter: { filter } as EventFilter }),
    ...(after === undefined ? {} : { lastEventId: String(after) }),
    signal: leaving.signal,
    onStatus: (status, { retryInMs = 0 }) => {
      if (status === 'lost') io.stderr.write(`Connection lost; retrying in ${Math.ceil(retryInMs / 1000)} s.\n`);
    },
  });
  const isTable = (values['output'] ?? 'table') === 'table';
  let printed = 0;
  for await (const event of events) {
    if (isTable) {
      const text = `${fullTime(now())}  ${event.type}  ${summaryOf(event.data)}`;
      await write(io.stdout, `${io.stdout.isTTY === true ? cut(text, io.stdout.columns) : text}\n`);
    } else await printData(io, event, 'ndjson');
    printed += 1;
    if (printed >= Number(count)) leaving.abort();
  }
}

const summaryOf = (data: Row): string =>
  SHOWN.map((name) => [name, valueAt(data, name)] as const)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => (name === 'log' ? cellText(name, value) : `${name}=${cellText(name, value)}`))
    .join(' ');
