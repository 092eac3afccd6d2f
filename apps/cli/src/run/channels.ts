// Secrets of channels: from a prompt or from standard input, never an argument.
import { settingsOf, WEBHOOK_KINDS, type WebhookKindName } from '@quarterdeck/core/plain';
import { connect } from '../account/connection.ts';
import { endpointOf, type Invocation, type Values } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { ask, canAsk, type Io, readInput, readSecret } from '../terminal/io.ts';
import { bodyOf } from './body.ts';
import { type EachSpec, readIds, runEach } from './change.ts';

/** Reads the secrets of a kind. `isNew`: those that it needs must be given; an empty one stays as it is otherwise. */
async function readSecrets(io: Io, kind: WebhookKindName, values: Values, isNew: boolean): Promise<Values> {
  const secrets = settingsOf(kind).filter(([, { isShown }]) => isShown !== true);
  if (values['secrets_stdin'] === true) {
    const lines = (await readInput(io)).split(/\r?\n/);
    return Object.fromEntries(secrets.flatMap(([name], i) => (lines[i] ? [[name, lines[i]]] : [])));
  }
  const given: Record<string, string> = {};
  for (const [name, { label, hint, optional }] of secrets) {
    const question = `${label} (${hint}): `;
    if (isNew && optional !== true) given[name] = await readSecret(io, question, false);
    else if (canAsk(io)) {
      const secret = await ask(io, question, 'hidden');
      if (secret !== '') given[name] = secret;
    }
  }
  return given;
}

/** Secrets of a new channel. A body from a file has its own. */
export async function newSecrets({ values, program: { io } }: Invocation): Promise<Values> {
  const kind = (values['kind'] ?? 'standard') as WebhookKindName;
  // The server names the kinds that there are.
  if (values['body'] !== undefined || !WEBHOOK_KINDS.includes(kind)) return {};
  return readSecrets(io, kind, values, true);
}

/** Changes channels; with `--secrets` one of them, whose secrets are asked for. */
export async function runUpdateChannel(invocation: Invocation, spec: EachSpec): Promise<number | undefined> {
  const { args, values, program } = invocation;
  const { io } = program;
  const body = await bodyOf(io, endpointOf(spec.endpoint).body, values);
  if (values['secrets'] !== true && values['secrets_stdin'] !== true) return runEach(invocation, spec, body);
  const [id, ...others] = await readIds(io, args);
  if (id === undefined || others.length > 0 || args[0] === '-') throw usage('Secrets are those of one channel.');
  if (values['dry_run'] === true) return runEach(invocation, spec, body);
  const { kind } = await connect(program, values).client.webhook.get({ params: { id } });
  return runEach(invocation, spec, { ...body, ...(await readSecrets(io, kind, values, false)) });
}
