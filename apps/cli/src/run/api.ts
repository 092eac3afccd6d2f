// Calls any path of the server.
import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from '@quarterdeck/sdk';
import { clientOptions, USER_AGENT } from '../account/connection.ts';
import { findTarget } from '../account/target.ts';
import type { Invocation } from '../command/command.ts';
import type { Row } from '../output/cells.ts';
import { printData, printObject, printRows } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { say, shown, write } from '../terminal/io.ts';
import { readJsonFile } from './body.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
const TIMEOUT_MS = 10_000;

/** The parts of an envelope that are read here. */
interface Envelope {
  readonly status?: unknown;
  readonly data?: unknown;
  readonly msg?: unknown;
  readonly err?: { readonly code?: unknown; readonly fields?: ApiError['fields']; readonly request_id?: string };
}

/** Sends one request and prints the data of its answer. */
export async function runApi({ args, values, program }: Invocation): Promise<undefined> {
  const { io, folders, config } = program;
  const [word = '', path = ''] = args;
  const method = word.toUpperCase();
  if (!METHODS.includes(method)) throw usage(`The method must be one of ${METHODS.join(', ')}.`);
  if (!/^\/(?!\/)/.test(path)) throw usage('The path must begin with one slash, such as /admin-api/user/me.');
  const target = findTarget(folders, config, values['profile'] as string | undefined);
  const options = clientOptions(target.profile, values);
  const isConsole = /^\/api\/agents(?:[/?]|$)/.test(path);
  const url = new URL(`${isConsole ? (options.consoleUrl ?? options.url) : options.url}${path}`);
  const body = await requestBody();
  const { credential } = target;
  const header = credential?.kind === 'session' ? 'edge-token' : 'api-token';
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const failed = { method, url: `${url.origin}${url.pathname}` };

  const send = options.fetch ?? fetch;
  let answer: Awaited<ReturnType<typeof send>>;
  let text: string;
  try {
    answer = await send(url.href, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': USER_AGENT,
        ...(credential === undefined ? {} : { [header]: credential.secret }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The credential is for this server only.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await answer.text();
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') throw new TimeoutError(timeoutMs, failed);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new NetworkError({ text: cause instanceof Error ? cause.message : 'the request failed' }, failed);
  }

  const type = answer.headers.get('content-type') ?? undefined;
  const envelope = parse(text) as Envelope | undefined;
  const isRefused = answer.status >= 400 || (typeof envelope?.status === 'number' && envelope.status !== 0);
  if (isRefused && typeof envelope?.msg === 'string') {
    throw new ApiError(
      {
        status: Number(envelope.status),
        code: String(envelope.err?.code ?? 'unknown'),
        message: envelope.msg,
        fields: envelope.err?.fields,
        requestId: envelope.err?.request_id,
      },
      failed,
    );
  }
  if (answer.status !== 200) {
    throw new UnexpectedAnswerError(
      { reason: 'not an answer of this API', status: answer.status, contentType: type },
      failed,
    );
  }
  const ignored = answer.headers.get('quarterdeck-ignored');
  if (ignored !== null) await say(io, `The server has ignored unknown names: ${ignored}`);
  // Exports and metrics are text of their own.
  if (envelope === undefined) return write(io.stdout, shown(io, text)) as Promise<undefined>;
  const data = values['envelope'] === true ? envelope : envelope.data;
  if (data === undefined) return;
  const format = (values['output'] ?? 'json') as string;
  if (values['jq'] !== undefined) return printObject(io, data as Row, values) as Promise<undefined>;
  if (format === 'json' || format === 'ndjson' || format === 'yaml') {
    return printData(io, data, format) as Promise<undefined>;
  }
  const rows = Array.isArray(data) ? data : (data as { data?: unknown }).data;
  if (!Array.isArray(rows)) return printObject(io, data as Row, values) as Promise<undefined>;
  await printRows(io, rows as Row[], { columns: Object.keys((rows[0] ?? {}) as Row) }, values);

  async function requestBody(): Promise<unknown> {
    const fields = (values['field'] ?? {}) as Record<string, string>;
    const name = values['body'] as string | undefined;
    if (method === 'GET' || method === 'DELETE') {
      for (const [field, value] of Object.entries(fields)) url.searchParams.set(field, value);
      return name === undefined ? undefined : readJsonFile(io, name);
    }
    const base = name === undefined ? {} : ((await readJsonFile(io, name)) as object);
    if (Array.isArray(base)) return base;
    return {
      ...base,
      ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, parse(value) ?? value])),
    };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
