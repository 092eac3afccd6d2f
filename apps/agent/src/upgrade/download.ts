// Downloads over node:http, for the reasons of small-fetch.ts. Answers have a size limit and may not pause for long;
// nothing of them is trusted here.
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type Proxies, proxyFor, requestVia } from '@quarterdeck/core/network';
import { FILE_HASH } from './minisign.ts';

const IDLE_MS = 30_000;
const REDIRECTS_MAX = 5;
const PROGRESS_EVERY_BYTES = 8 * 1024 * 1024;
const PROGRAM_MODE = 0o700;

/** A download that failed. The message is one line for people. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

export interface DownloadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Proxies of the environment. */
  readonly proxies?: Proxies | undefined;
}

/** Checksums of a downloaded file. */
export interface Downloaded {
  /** {@link FILE_HASH} of the file. */
  readonly hash: Buffer;
  /** In hex. */
  readonly sha256: string;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : error instanceof Error ? error.name : 'unknown';

/** Sends one request; resolves with the head of the answer. */
function request(url: URL, signal: AbortSignal, proxies: Proxies | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const proxy = proxyFor(proxies, url);
  const isEncrypted = url.protocol === 'https:';
  // Loaded on demand: encryption costs 5 MB.
  const { get } = isEncrypted ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  // No agent: the connection ends with the answer.
  const options = { signal, timeout: IDLE_MS };
  const sent =
    proxy === undefined ? get(url.href, { ...options, agent: false }) : requestVia(proxy, url, options).end();
  sent.once('response', resolve);
  sent.once('timeout', () => sent.destroy(new DownloadError(`${url.host} sends nothing for ${IDLE_MS / 1000} s`)));
  sent.once('error', reject);
  return promise;
}

/** An address for messages. The query of a signed address is a secret. */
const shownAddress = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** Follows redirects, but never from encryption to plain text. */
async function answerOf(address: string, { signal, proxies }: DownloadLimits): Promise<IncomingMessage> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const answer = await request(url, signal, proxies);
    const { statusCode: status = 0, headers } = answer;
    if (status === 200) return answer;
    answer.destroy();
    if (status < 300 || status > 399 || headers.location === undefined) {
      throw new DownloadError(`${shownAddress(url)} answers with status ${status}`);
    }
    const next = URL.canParse(headers.location, url.href) ? new URL(headers.location, url.href) : undefined;
    const isAllowed = next?.protocol === 'https:' || (next?.protocol === 'http:' && url.protocol === 'http:');
    if (next === undefined || !isAllowed)
      throw new DownloadError(`${shownAddress(url)} redirects to an address that is not allowed`);
    url = next;
  }
  throw new DownloadError(`${address} redirects more than ${REDIRECTS_MAX} times`);
}

/** Calls `use` for each chunk of an answer. */
async function download(
  address: string,
  limits: DownloadLimits,
  use: (chunk: Buffer, sizeBytes: number) => unknown,
): Promise<void> {
  try {
    const { maxBytes } = limits;
    const answer = await answerOf(address, limits);
    const size = Number(answer.headers['content-length'] ?? 0);
    let length = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      // Leaving the loop closes the connection.
      if (length > maxBytes) throw new DownloadError(`${address} has more than ${maxBytes} bytes`);
      await use(chunk, size);
    }
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    throw new DownloadError(`${address} could not be downloaded (${codeOf(error)})`, { cause: error });
  }
}

/** Downloads a small text. Throws {@link DownloadError}. */
export async function downloadText(address: string, limits: DownloadLimits): Promise<string> {
  const chunks: Buffer[] = [];
  await download(address, limits, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Downloads an executable into a new file. When it returns, the content is on the disk. Throws {@link DownloadError}.
 *
 * @param onProgress called with the percentage from time to time, where the server tells the size
 */
export async function downloadProgram(
  address: string,
  path: string,
  limits: DownloadLimits,
  onProgress: (percent: number) => void,
): Promise<Downloaded> {
  const [hash, sha256] = [createHash(FILE_HASH), createHash('sha256')];
  // A draft of a killed process goes first: `wx` never writes through a file or link of somebody else.
  await rm(path, { force: true });
  await using file = await open(path, 'wx', PROGRAM_MODE);
  let length = 0;
  await download(address, limits, async (chunk, sizeBytes) => {
    hash.update(chunk);
    sha256.update(chunk);
    await file.writeFile(chunk);
    const before = length;
    length += chunk.length;
    const isDue = Math.floor(before / PROGRESS_EVERY_BYTES) < Math.floor(length / PROGRESS_EVERY_BYTES);
    if (isDue && sizeBytes >= length) onProgress(Math.floor((100 * length) / sizeBytes));
  });
  await file.sync();
  return { hash: hash.digest(), sha256: sha256.digest('hex') };
}
