// Asks the running server for its state, for the health checks of containers and init systems. It reads the settings
// alone, never the data, so that it works beside a server that is starting or stopping.
import { type ClientRequest, get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import { Refusal, UsageError } from '../process/refusal.ts';
import type { Config } from '../settings/config.ts';
import type { CommandCall } from './command.ts';

/** Time for the whole answer. */
const ANSWER_MAX_MS = 3_000;

/** The question, the answer of a server that is well, and the words for it. */
const READY = { path: '/readyz', state: 'ready' } as const;
const LIVE = { path: '/healthz', state: 'alive' } as const;

/** `health`: readiness, or with `--live` liveness, of the server that the settings or `--url` name. */
export async function showHealth({ config, option, flag, out }: CommandCall): Promise<void> {
  const given = option('url');
  const base = given === undefined ? ownAddress(config()) : parseUrl(given);
  const { path, state } = flag('live') ? LIVE : READY;
  const url = new URL(base.pathname.replace(/\/*$/, path), base);
  // The address of the settings is this host, and only a state is read. The certificate has the public name.
  const { status, body } = await ask(url, { checkCertificate: given !== undefined });
  if (status !== 200) throw new Refusal(`the server at ${base.origin} is not ${state}: ${reasonOf(status, body)}`);
  out(`the server at ${base.origin} is ${state}`);
}

/** The address at which the server of these settings can be reached from its own host. */
function ownAddress({ host, port, tlsCert }: Config): URL {
  if (port === 0) throw new UsageError('QUARTERDECK_PORT is 0, any free port: name the server with --url');
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const name = isIPv6(reachable) ? `[${reachable}]` : reachable;
  return new URL(`${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`);
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError('--url is not an http or https URL');
  return url;
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

async function ask(url: URL, { checkCertificate }: { readonly checkCertificate: boolean }): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_MAX_MS);
  try {
    const answer = await answerOf(
      url.protocol === 'https:'
        ? getHttps(url, { agent: false, signal, rejectUnauthorized: checkCertificate })
        : getHttp(url, { agent: false, signal }),
    );
    return { status: answer.statusCode, body: await text(answer) };
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${ANSWER_MAX_MS / 1_000} s` : messageOf(error);
    throw new Refusal(`the server at ${url.origin} cannot be reached: ${reason}`);
  }
}

const answerOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void request.once('response', resolve).once('error', reject));

/** A name with several addresses fails with an error for each, and no message of its own. */
const messageOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};

/** The message of the server, or the status of a proxy that answered in its place. */
function reasonOf(status: number | undefined, body: string): string {
  try {
    const { msg } = JSON.parse(body) as { readonly msg?: unknown };
    if (typeof msg === 'string') return msg;
  } catch {
    // No JSON: the status says more.
  }
  return `HTTP status ${status}`;
}
