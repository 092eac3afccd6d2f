// Runs the commands about rules whose condition is given by options.

import { connect } from '../account/connection.ts';
import { endpointOf, type Invocation, type Values } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { printWithLists } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { bodyOf } from './body.ts';
import { printRequest, readIds } from './change.ts';
import { warnOfUnusedFieldsOf } from './unused-fields.ts';

const PARTS = ['kind', 'count', 'within', 'per', 'resource'] as const;

/** The condition that the options give; undefined for none. */
function whenOf(values: Values): Record<string, unknown> | undefined {
  const parts = PARTS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const]));
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

const withValues = (invocation: Invocation, values: Values): Invocation => ({
  ...invocation,
  values: { ...invocation.values, ...values },
});

/** Puts the condition of a new rule together. */
export async function withWhen(invocation: Invocation): Promise<Invocation> {
  const { values } = invocation;
  const when = whenOf(values);
  if (values['body'] !== undefined && when === undefined) return invocation;
  if (when?.['kind'] === undefined) throw usage('Required: --kind, or --body.');
  return withValues(invocation, { when });
}

/** Puts the changed condition of a rule together: a part of it needs the rule as it is. */
export async function withRuleWhen(invocation: Invocation): Promise<Invocation> {
  const { args, values, program } = invocation;
  const when = whenOf(values);
  if (when === undefined) return invocation;
  if (when['kind'] !== undefined) return withValues(invocation, { when });
  const [id, ...more] = await readIds(program.io, args);
  if (id === undefined || more.length > 0 || args[0] === '-')
    throw usage('A part of a condition changes one rule: give one id.');
  const rule = await connect(program, values).client.alert.get({ params: { id } });
  return withValues(invocation, { when: { ...rule.when, ...when } });
}

/** Fields of a rule that a preview takes. */
const TRIED = ['name', 'when', 'filter', 'for', 'cooldown', 'channels'] as const;

/** The rule that is tried: a stored one with other values, or one of options only. */
async function triedRule({ args, values, program }: Invocation): Promise<Values> {
  const fields = endpointOf('alert.preview').body;
  if (args[0] === undefined) {
    const { values: all } = await withWhen({ args, values, program });
    return bodyOf(program.io, fields, all);
  }
  const [id = 0] = await readIds(program.io, args);
  const rule = await connect(program, values).client.alert.get({ params: { id } });
  const when = whenOf(values);
  const stored = Object.fromEntries(TRIED.map((name) => [name, rule[name]]));
  const condition = when?.['kind'] === undefined ? { ...rule.when, ...when } : when;
  return { ...stored, ...given(fields, values), when: condition };
}

/** Prints how often a rule would have fired; in a table, the examples below. */
export async function runPreview(invocation: Invocation): Promise<undefined> {
  const { values, program } = invocation;
  const { io } = program;
  const body = await triedRule(invocation);
  if (values['dry_run'] === true) return printRequest(io, 'alert.preview', {}, body) as Promise<undefined>;
  const { client } = connect(program, values);
  const answer = await client.alert.preview({ body: body as never });
  await warnOfUnusedFieldsOf(program, client, body);
  return printWithLists(io, answer, { examples: ['time', 'key', 'title'] }, values);
}

/** Prints why a rule did or did not fire; in a table, its conditions and its alerts below. */
export async function runExplain({ args, values, program }: Invocation): Promise<undefined> {
  const body = given(endpointOf('alert.explain').body, values);
  const answer = await connect(program, values).client.alert.explain({ params: { id: Number(args[0]) }, body });
  const lists = {
    conditions: ['name', 'met', 'value', 'limit', 'text'],
    alerts: ['id', 'state', 'title', 'since', 'messages'],
  };
  return printWithLists(program.io, answer, lists, values);
}
