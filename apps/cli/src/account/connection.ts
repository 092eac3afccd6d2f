// The server of a command and its client. Loads the SDK, which commands without a server do not need.
import { type CallOptions, type Client, type ClientOptions, createClient, isApiError } from '@quarterdeck/sdk';
import { type Profile, readOnly } from '@quarterdeck/tui/profiles';
import type { EndpointName, Values } from '../command/command.ts';
import type { Program } from '../command/program.ts';
import { ask, canAsk, type Io } from '../terminal/io.ts';
import { findTarget, type Target } from './target.ts';

/** A server that a command talks to. */
export interface Connection {
  readonly target: Target;
  readonly client: Client;
}

/** Name of this program in requests. */
export const USER_AGENT = 'quarterdeck-cli';

/** Options of a client that every command sets. */
export function clientOptions(profile: Profile, values: Values): ClientOptions {
  const timeoutS = values['timeout'] as number | undefined;
  return {
    url: profile.url,
    consoleUrl: profile.consoleUrl,
    userAgent: USER_AGENT,
    ...(timeoutS === undefined ? {} : { timeoutMs: timeoutS * 1000 }),
    ...(profile.readOnly ? { fetch: readOnly(globalThis.fetch) as ClientOptions['fetch'] } : {}),
  };
}

/** Connects to the server of a command; sends nothing yet. */
export function connect({ folders, config }: Program, values: Values): Connection {
  const target = findTarget(folders, config, values['profile'] as string | undefined);
  const { credential } = target;
  const kind = credential?.kind === 'session' ? 'sessionToken' : 'apiToken';
  const client = createClient({
    ...clientOptions(target.profile, values),
    ...(credential === undefined ? {} : { [kind]: credential.secret }),
  });
  return { target, client };
}

/** Input of an endpoint. */
export interface Input {
  readonly params?: Values | undefined;
  readonly query?: Values | undefined;
  readonly body?: unknown;
}

/** An endpoint of the client, whose types the table of commands cannot know. */
export interface EndpointCall {
  (input: Input, options?: CallOptions): Promise<unknown>;
  page(input: Input): Promise<unknown>;
}

/** Finds the call of an endpoint by its name. */
export function endpointCall(client: Client, name: EndpointName): EndpointCall {
  const [noun = '', verb = ''] = name.split('.');
  const call = (client as unknown as Record<string, Record<string, EndpointCall>>)[noun]?.[verb];
  if (call === undefined) throw new Error(`no endpoint ${name}`);
  return call;
}

/** Repeats a change once after the person has confirmed the password, where the server asks for that. */
export async function withConfirmation<T>(io: Io, { client }: Connection, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!isApiError(error) || error.code !== 'reauthentication_required' || !canAsk(io)) throw error;
    const password = await ask(io, 'Confirm your password: ', 'hidden');
    const me = await client.user.me();
    const otp = me.second_factor ? await ask(io, 'One-time code: ') : undefined;
    await client.user.confirm({ body: { password, ...(otp === undefined ? {} : { otp }) } });
    return await change();
  }
}
