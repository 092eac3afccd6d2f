// Runs changes: of one object, of several by their ids, and of all that a filter selects.
import type { Client } from '@quarterdeck/sdk';
import { connect, endpointCall, withConfirmation } from '../account/connection.ts';
import { type EndpointName, endpointOf, type Invocation, type Values } from '../command/command.ts';
import { failureOf } from '../command/failure.ts';
import type { Program } from '../command/program.ts';
import type { Row } from '../output/cells.ts';
import { printData, printObject } from '../output/print.ts';
import { CommandError, usage } from '../process/command-error.ts';
import { canAsk, confirm, type Io, readInput, say, write } from '../terminal/io.ts';
import { startProgress } from '../terminal/progress.ts';
import { warnOfUnusedFieldsOf } from './unused-fields.ts';

/** Reads ids: arguments, or those of standard input for `-`, separated by blanks or line breaks. */
export async function readIds(io: Io, args: readonly string[]): Promise<number[]> {
  const texts = args.length === 1 && args[0] === '-' ? (await readInput(io)).split(/\s+/).filter(Boolean) : args;
  return texts.map((text) => {
    if (!/^\d{1,10}$/.test(text)) throw usage(`Not an id: ${JSON.stringify(text.slice(0, 80))}`);
    return Number(text);
  });
}

/**
 * Asks before a change, unless `--yes` is given. Without a terminal to ask at, the change needs `--yes`.
 * @throws CommandError when the answer is no
 */
export async function askFirst(io: Io, question: string, values: Values): Promise<void> {
  if (values['yes'] === true) return;
  if (!canAsk(io))
    throw usage(`${question} There is no terminal to ask at: add --yes, or --dry-run to see the effect.`);
  if (!(await confirm(io, question))) throw new CommandError('refused', 'Nothing was changed.');
}

/** Prints the request that a command would send. */
export async function printRequest(io: Io, endpoint: EndpointName, params: Values, body: unknown): Promise<void> {
  const { method, path } = endpointOf(endpoint);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  await write(io.stdout, `${method} ${filled}\n`);
  if (body !== undefined) await printData(io, body, 'json');
}

/** Text for "3 API tokens" and "1 API token". */
export const counted = (count: number, unit: string): string =>
  `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;

/** Prints the answer of a change; without an answer, a sentence on a terminal. */
export async function printAnswer(io: Io, answer: unknown, done: string, values: Values): Promise<void> {
  if (typeof answer === 'object' && answer !== null) return printObject(io, answer as Row, values);
  if (io.stderr.isTTY === true) await say(io, done);
}

/** A change of objects by their ids, each with a request of its own. */
export interface EachSpec {
  readonly endpoint: EndpointName;
  readonly unit: string;
  /** Verb of the question and of the report: `Revoke`, `Revoked`. */
  readonly verb: string;
  readonly done: string;
  /** Asks also for one. */
  readonly isFinal?: boolean;
  /** A sentence about the changed object, printed instead of its fields; undefined for those. */
  readonly sentence?: (answer: unknown) => string | undefined;
}

/** Waits for what a change began; resolves with the answer to print. */
type Settle = (client: Client, id: number, answer: unknown) => Promise<unknown>;

/** Changes objects one after the other. The exit code is that of the last failure. */
export async function runEach(
  invocation: Invocation,
  spec: EachSpec,
  body?: Values,
  settle: Settle = async (_client, _id, answer) => answer,
): Promise<number | undefined> {
  const { args, values, program } = invocation;
  const { io } = program;
  const ids = await readIds(io, args);
  if (values['dry_run'] === true) {
    for (const id of ids) await printRequest(io, spec.endpoint, { id }, body);
    return;
  }
  const connection = connect(program, values);
  if (ids.length > 1 || spec.isFinal === true || connection.target.profile.isProtected) {
    await askFirst(
      io,
      `${spec.verb} ${counted(ids.length, spec.unit)}${ids.length === 1 ? ` (${ids[0]})` : ''}?`,
      values,
    );
  }
  return eachId(program, ids, spec, async (id) => {
    const call = endpointCall(connection.client, spec.endpoint);
    const answer = await withConfirmation(io, connection, () =>
      call({ params: { id }, ...(body === undefined ? {} : { body }) }),
    );
    const settled = await settle(connection.client, id, answer);
    const sentence = spec.sentence?.(settled);
    if (sentence === undefined) await printAnswer(io, settled, `${spec.done} ${spec.unit} ${id}.`, values);
    else await write(io.stdout, `${sentence}\n`);
    if (body?.['filter'] !== undefined) await warnOfUnusedFieldsOf(program, connection.client, answer);
  });
}

/** Runs work for each id with progress. One failure does not end the others. */
export async function eachId(
  { io }: Program,
  ids: readonly number[],
  { unit }: Pick<EachSpec, 'unit'>,
  work: (id: number) => Promise<void>,
): Promise<number | undefined> {
  const progress = startProgress(io.stderr, `${unit}s`, ids.length);
  let last: unknown;
  let failed = 0;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      if (ids.length === 1) throw error;
      const { message } = failureOf(error);
      await say(io, `quarterdeck: ${unit} ${id}: ${message}`);
      failed += 1;
      last = error;
    }
    progress.add(1);
  }
  progress.end();
  if (failed > 0) throw new CommandError(failureOf(last).exit, `${counted(failed, unit)} of ${ids.length} failed.`);
  return undefined;
}
