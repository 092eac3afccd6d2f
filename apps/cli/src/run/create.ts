// Runs a creation.
import { randomUUID } from 'node:crypto';
import { connect, endpointCall, withConfirmation } from '../account/connection.ts';
import { type EndpointName, endpointOf, type Invocation, type Values } from '../command/command.ts';
import { type Row, valueAt } from '../output/cells.ts';
import { printObject } from '../output/print.ts';
import { say } from '../terminal/io.ts';
import { bodyOf } from './body.ts';
import { printRequest } from './change.ts';
import { warnOfUnusedFieldsOf } from './unused-fields.ts';

/** Fields of secrets. */
const SHOWN_ONCE = ['token', 'secret'] as const;

export interface CreateSpec {
  readonly endpoint: EndpointName;
  /** Fields of the body that no option gives. */
  readonly omit: readonly string[];
  readonly more?: (invocation: Invocation) => Promise<Values>;
  /** The endpoint knows repetitions by their Idempotency-Key, so it is called again after a lost answer. */
  readonly isRepeatable?: boolean | undefined;
}

/** Creates an object and prints the answer. A secret in it is shown only here. */
export async function runCreate(
  invocation: Invocation,
  { endpoint, omit, more, isRepeatable = false }: CreateSpec,
): Promise<undefined> {
  const { values, program } = invocation;
  const { io } = program;
  const fields = Object.entries(endpointOf(endpoint).body).filter(([name]) => !omit.includes(name));
  const body = await bodyOf(io, Object.fromEntries(fields), values, Object.keys(endpointOf(endpoint).body));
  if (values['dry_run'] === true) return printRequest(io, endpoint, {}, body) as Promise<undefined>;
  const secrets = (await more?.(invocation)) ?? {};
  const connection = connect(program, values);
  const call = endpointCall(connection.client, endpoint);
  const answer = (await withConfirmation(io, connection, () =>
    call({ body: { ...body, ...secrets } }, isRepeatable ? { idempotencyKey: randomUUID() } : {}),
  )) as Row;
  await printObject(io, answer, values);
  await warnOfUnusedFieldsOf(program, connection.client, answer);
  const shownOnce = SHOWN_ONCE.find((name) => typeof valueAt(answer, name) === 'string');
  if (shownOnce !== undefined && io.stderr.isTTY === true) {
    await say(io, `The ${shownOnce} is shown only now. Store it in a safe place.`);
  }
}
