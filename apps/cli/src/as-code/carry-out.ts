// Carries a plan out, one request after the other. An entry that others have changed since the plan was made is left
// as it is.
import { type CallPromise, isApiError } from '@quarterdeck/sdk';
import { type Connection, endpointCall, withConfirmation } from '../account/connection.ts';
import type { EndpointName, Values } from '../command/command.ts';
import { failureOf } from '../command/failure.ts';
import { CommandError } from '../process/command-error.ts';
import type { Io } from '../terminal/io.ts';
import type { AppliedFile } from './applied-file.ts';
import { isUsual, type Noun, type NounName, nounOf } from './nouns.ts';
import { bodyOf, type Step } from './plan.ts';
import { changeLines, stepPath } from './plan-text.ts';
import { type ChannelNames, type Existing, toExisting } from './read-server.ts';
import { isSame } from './same.ts';
import type { SecretReader } from './secrets.ts';

/** Parts that carrying out works with. */
export interface Work {
  readonly io: Io;
  readonly connection: Connection;
  readonly applied: AppliedFile;
  /** Names of the channels as they will be. */
  readonly channels: ChannelNames;
  readonly secrets: SecretReader;
}

/** Carries out all steps; ends at the first failure, and says what was done before. */
export async function carryOut(steps: readonly Step[], work: Work): Promise<void> {
  const ids = new Map([...work.channels].map(([id, name]) => [name, id]));
  // A state that cannot be written is noticed before anything is created.
  if (steps.some(({ kind }) => kind === 'create')) work.applied.write();
  let done = 0;
  for (const step of steps) {
    try {
      await carryOutOne(step, ids, work);
    } catch (error) {
      const { message, exit } = explained(error);
      const before = done === 0 ? 'Nothing was changed.' : `${done} of ${steps.length} changes were made.`;
      throw new CommandError(exit, `${stepPath(step)}: ${work.secrets.hide(message)}\n${before}`);
    }
    done += 1;
  }
}

/** A failure in the words of files: the path of a field is its name there. */
function explained(error: unknown): { message: string; exit: CommandError['exit'] } {
  const { message, exit } = failureOf(error);
  if (!isApiError(error) || error.fields.length === 0) return { message, exit };
  const fields = error.fields.map((field) => `${field.path.replace(/^body\./, '')}: ${field.message}`);
  return { message: fields.join('\n  '), exit };
}

async function carryOutOne(step: Step, ids: Map<string, number>, work: Work): Promise<void> {
  const { io, connection, applied } = work;
  const name = step.kind === 'delete' ? step.noun : step.entry.noun;
  const noun = nounOf(name);
  const call = (endpoint: EndpointName | undefined, input: Values, headers: Readonly<Record<string, string>> = {}) => {
    if (endpoint === undefined) throw new Error(`${name} has no endpoint for ${step.kind}`);
    return withConfirmation(io, connection, () => endpointCall(connection.client, endpoint)(input, { headers }));
  };
  if (step.kind === 'create') {
    const { fields } = step.entry;
    const given = Object.entries(fields).filter(([field]) => !isUsual(noun, field, fields));
    const body = withIds(noun, { ...Object.fromEntries(given), [noun.nameField]: step.entry.name }, ids);
    const made = toExisting(name, (await call(noun.endpoints.create, { body })) as Values, work.channels);
    if (name === 'channels') ids.set(step.entry.name, made.id);
    applied.add(name, { id: made.id, name: made.name, created: made.created });
    return;
  }
  const { existing } = step;
  const params = { id: existing.id };
  const secrets = step.kind === 'change' ? step.entry.secrets : undefined;
  const headers = { 'If-Match': await tagOf(name, existing, work, secrets) };
  try {
    if (step.kind === 'change') {
      await call(noun.endpoints.update, { params, body: withIds(noun, bodyOf(step.changes), ids) }, headers);
      return;
    }
    await call(noun.endpoints.remove, { params }, headers);
  } catch (error) {
    // Somebody was faster than the request; this says what they changed.
    if (isApiError(error) && error.code === 'precondition_failed') await tagOf(name, existing, work, secrets);
    throw error;
  }
  applied.remove(name, existing);
}

/** A body with the ids of the channels that it names. */
function withIds({ channelsField }: Noun, body: Values, ids: ReadonlyMap<string, number>): Values {
  const names = channelsField === undefined ? undefined : (body[channelsField] as readonly string[] | undefined);
  if (channelsField === undefined || names === undefined) return body;
  return { ...body, [channelsField]: names.map((name) => ids.get(name)) };
}

/**
 * Reads the tag of an entry. `secrets` are the fields whose values are kept out of the refusal; undefined = all.
 *
 * @throws CommandError where the entry is not as the plan saw it
 */
async function tagOf(
  name: NounName,
  seen: Existing,
  { connection, channels }: Work,
  secrets: ReadonlySet<string> | undefined,
): Promise<string> {
  const noun = nounOf(name);
  const call = endpointCall(connection.client, noun.endpoints.get);
  const answer = call({ params: { id: seen.id } }) as CallPromise<Values>;
  const { data, headers } = await answer.withResponse();
  const now = toExisting(name, data, channels);
  const before: Values = { [noun.nameField]: seen.name, ...seen.fields };
  const after: Values = { [noun.nameField]: now.name, ...now.fields };
  const differing = Object.keys(before).filter((field) => !isSame(before[field], after[field]));
  if (differing.length === 0 && now.modified === seen.modified) return headers.get('etag') ?? '*';
  const lines = differing.flatMap((field) =>
    secrets === undefined || secrets.has(field)
      ? [`${field}: changed`]
      : changeLines({ field, before: before[field], after: after[field], how: 'shown' }),
  );
  const head = 'Somebody else has changed it meanwhile. Run the command again to compare.';
  throw new CommandError(
    'refused',
    [head, ...(lines.length === 0 ? ['a field that is not shown'] : lines)].join('\n  '),
  );
}
