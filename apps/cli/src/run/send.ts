// Sends log lines in batches.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { connect } from '../account/connection.ts';
import type { Invocation, Values } from '../command/command.ts';
import { printRows } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { say } from '../terminal/io.ts';
import { startProgress } from '../terminal/progress.ts';

/** Most lines of a batch, and most characters. */
const BATCH_LINES = 1_000;
const BATCH_CHARACTERS = 1_000_000;

type Line = Record<string, unknown>;

/** Sends the lines of the arguments or of standard input. */
export async function runSend({ args, values, program }: Invocation): Promise<number | undefined> {
  const { io } = program;
  const { client } = connect(program, values);
  if (args.length === 0 && io.stdin.isTTY === true) throw usage('Give lines as arguments or on standard input.');
  const dryRun = values['dry_run'] === true;
  const progress = startProgress(io.stderr, 'lines');
  let accepted = 0;
  let refused = 0;
  let sent = 0;
  for await (const batch of batches(args.length > 0 ? args : inputLines(io.stdin), values)) {
    const receipt = await client.errlog.append(
      // The server checks each line, and names those that it cannot read.
      { query: { dry_run: dryRun }, body: batch as never },
      // A batch whose answer was lost is sent again and counts once.
      { idempotencyKey: randomUUID() },
    );
    accepted += receipt.accepted;
    refused += receipt.refused.length;
    for (const { index, message } of receipt.refused) {
      await say(io, `quarterdeck: line ${sent + index + 1}: ${message}`);
    }
    if (dryRun) {
      await printRows(io, receipt.preview ?? [], { columns: ['level', 'group', 'host', 'service', 'pattern'] }, values);
    }
    sent += batch.length;
    progress.add(batch.length);
  }
  progress.end();
  if (!dryRun && io.stderr.isTTY === true) await say(io, `${accepted.toLocaleString('en')} lines accepted.`);
  return refused > 0 ? 1 : undefined;
}

/** Lines of standard input; of a JSON array, its members. */
async function* inputLines(stdin: NodeJS.ReadStream): AsyncGenerator<string, void, undefined> {
  let isFirst = true;
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const array: string[] = [];
  for await (const line of lines) {
    if (line.trim() === '') continue;
    // A text such as "[error] disk full" begins like an array, but is none.
    if (isFirst && /^\s*\[\s*(?:[{\]]|$)/.test(line)) array.push(line);
    else if (array.length > 0) array.push(line);
    else yield line;
    isFirst = false;
  }
  if (array.length === 0) return;
  let members: unknown;
  try {
    members = JSON.parse(array.join('\n'));
  } catch {
    throw usage('Standard input begins like a JSON array and is none.');
  }
  for (const member of members as unknown[]) yield JSON.stringify(member);
}

async function* batches(lines: AsyncIterable<string> | Iterable<string>, values: Values) {
  let batch: Line[] = [];
  let characters = 0;
  for await (const text of lines) {
    if (batch.length >= BATCH_LINES || (batch.length > 0 && characters + text.length > BATCH_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(lineOf(text, values));
    characters += text.length;
  }
  if (batch.length > 0) yield batch;
}

/** A JSON object is a line with its members; any other text is the text of one. */
function lineOf(text: string, values: Values): Line {
  const { level = 4, host, service, fields } = values;
  const given = objectOf(text);
  const own = (fields ?? {}) as object;
  return {
    // The object of a logger may name its level and its text otherwise.
    ...(given === undefined ? { level, log: text } : {}),
    ...(host === undefined ? {} : { host }),
    ...(service === undefined ? {} : { service }),
    ...(given !== undefined && given['level'] === undefined ? { level } : {}),
    ...given,
    ...(fields === undefined ? {} : { fields: { ...own, ...((given?.['fields'] ?? {}) as object) } }),
  };
}

function objectOf(text: string): Line | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}
