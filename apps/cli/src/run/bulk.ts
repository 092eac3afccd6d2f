// Runs a change of one object, of several, or of all that the filters of the list select, with a preview.

import { type Connection, connect, endpointCall } from '../account/connection.ts';
import { type EndpointName, endpointOf, type Invocation, type Values } from '../command/command.ts';
import { valueAt } from '../output/cells.ts';
import { printObject } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { say } from '../terminal/io.ts';
import { startProgress } from '../terminal/progress.ts';
import { askFirst, counted, printAnswer, printRequest, readIds } from './change.ts';
import { type ListSource, queryOf, readRows } from './rows.ts';
import { warnOfUnusedFields, warnOfUnusedLabels } from './unused-fields.ts';

/** A change of many. */
export interface BulkSpec {
  readonly endpoint: EndpointName;
  /** List whose filters select objects. */
  readonly list: ListSource;
  /** Endpoint for one object, and its body. */
  readonly single: EndpointName;
  readonly singleBody?: Values | undefined;
  /** The change itself, beside `ids` or `filter`. */
  readonly change: Values;
  readonly unit: string;
  readonly verb: string;
  readonly done: string;
}

/** Answer to a change of many. */
interface BulkResult {
  readonly matched: number;
  readonly done: number;
  readonly failed: readonly { readonly id: number; readonly msg: string }[];
}

/** Changes the objects that the arguments or the filters select. */
export async function runBulk(invocation: Invocation, spec: BulkSpec): Promise<number | undefined> {
  const { args, values, program } = invocation;
  const { io } = program;
  const ids = await readIds(io, args);
  const [first] = ids;
  // Standard input without ids names nothing; without this it would be the same as no arguments.
  if (args.length > 0 && ids.length === 0) return reportNothing(invocation);
  checkSelection(ids, spec.list, values);
  const connection = connect(program, values);
  if (first !== undefined && ids.length === 1) return changeOne(invocation, connection, spec, first);

  const selection = ids.length > 0 ? { ids } : await selectionOf(invocation, connection, spec);
  if ('ids' in selection && selection.ids.length === 0) return reportNothing(invocation);
  const call = endpointCall(connection.client, spec.endpoint);
  const parts = 'ids' in selection ? inParts(selection.ids) : [selection];
  const send = async (dryRun: boolean): Promise<BulkResult> => {
    const progress = startProgress(io.stderr, `${spec.unit}s`, ids.length);
    let sum: BulkResult = { matched: 0, done: 0, failed: [] };
    for (const part of parts) {
      const { matched, done, failed } = (await call({
        ...(dryRun ? { query: { dry_run: true } } : {}),
        body: { ...part, ...spec.change, ...(dryRun ? { dry_run: true } : {}) },
      })) as BulkResult;
      sum = { matched: sum.matched + matched, done: sum.done + done, failed: [...sum.failed, ...failed] };
      progress.add(matched);
    }
    progress.end();
    return sum;
  };

  const preview = await send(true);
  const { matched } = preview;
  if (spec.endpoint === 'agent.bulk') await warnOfUnusedLabels(program, connection.client, values, matched);
  else await warnOfUnusedFields(program, connection.client, values['filter'] as string | undefined, { count: matched });
  if (values['dry_run'] === true) {
    await printObject(io, { ...preview }, values);
    return;
  }
  if (preview.matched === 0) return reportNothing(invocation);
  await askFirst(io, `${spec.verb} ${counted(preview.matched, spec.unit)}?`, values);
  const result = await send(false);
  if (values['output'] !== undefined || values['jq'] !== undefined) await printObject(io, { ...result }, values);
  else await say(io, `${spec.done} ${result.done.toLocaleString('en')} of ${counted(result.matched, spec.unit)}.`);
  for (const { id, msg } of result.failed) await say(io, `quarterdeck: ${spec.unit} ${id}: ${msg}`);
  return result.failed.length > 0 ? 1 : undefined;
}

/** Most ids of a request. */
const IDS_MAX = 10_000;

/** Divides ids into as many requests as they need. */
const inParts = (ids: readonly number[]): { ids: readonly number[] }[] =>
  Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, part) => ({
    ids: ids.slice(part * IDS_MAX, (part + 1) * IDS_MAX),
  }));

async function changeOne({ values, program: { io } }: Invocation, connection: Connection, spec: BulkSpec, id: number) {
  const { single, singleBody, done, unit } = spec;
  if (values['dry_run'] === true) {
    await printRequest(io, single, { id }, singleBody);
    return undefined;
  }
  if (connection.target.profile.isProtected) await askFirst(io, `${spec.verb} ${unit} ${id}?`, values);
  const call = endpointCall(connection.client, single);
  const answer = await call({ params: { id }, ...(singleBody === undefined ? {} : { body: singleBody }) });
  await printAnswer(io, answer, `${done} ${unit} ${id}.`, values);
  return undefined;
}

async function reportNothing({ program: { io } }: Invocation): Promise<undefined> {
  await say(io, 'Nothing matches; nothing was changed.');
}

/** Checks that a command line selects objects, and in one way only. */
export function checkSelection(ids: readonly number[], { endpoint }: ListSource, values: Values): void {
  const names = [...Object.keys(endpointOf(endpoint).query), 'since', 'all'];
  const isSelected = names.some((name) => values[name] !== undefined) || values['filter'] !== undefined;
  if (ids.length > 0 && isSelected) throw usage('Give either ids or filters, not both.');
  if (ids.length === 0 && !isSelected) {
    throw usage('Name ids, or select with --filter or other filters of the list; --all selects everything.');
  }
}

/** The filter of the server where it has one for all options, else the ids of the rows that match. */
async function selectionOf({ values, program }: Invocation, connection: Connection, { list }: BulkSpec) {
  const { query } = endpointOf(list.endpoint);
  const comparedHere =
    (values['filter'] !== undefined && !('filter' in query)) ||
    (values['since'] !== undefined && !('start_time' in query));
  if (!comparedHere) {
    const { detail: _detail, ...filter } = queryOf(list, values);
    return { filter };
  }
  const { rows } = await readRows(connection, list, { ...values, all: true }, program);
  const ids: number[] = [];
  for await (const row of rows) ids.push(Number(valueAt(row, 'id')));
  return { ids };
}
