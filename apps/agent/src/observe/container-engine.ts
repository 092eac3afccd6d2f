// Reads from the engine of containers (Docker or Podman) through its socket. The agent sends GET requests only.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readBody } from '../api/small-fetch.ts';
import { cleanValue } from './compare.ts';

const LIST_MAX_BYTES = 4 * 1024 * 1024;
const NAME_MAX = 200;

const Listed = z.object({
  Id: z.string().regex(/^[\da-f]{12,64}$/),
  Names: z.array(z.string()).nullish(),
  Image: z.string().default(''),
  ImageID: z.string().default(''),
  State: z.string().default(''),
  Status: z.string().default(''),
});
const List = z.array(Listed);

/** A container, as the engine lists it. */
export type ListedContainer = z.infer<typeof Listed>;

/** Name of a container, or the start of its id. */
export const nameOf = ({ Names, Id }: ListedContainer): string =>
  cleanValue(Names?.[0]?.replace(/^\//, '') ?? '', NAME_MAX) || Id.slice(0, 12);

/** Sends a request; the caller handles its errors. */
export function openRequest(
  socketPath: string,
  path: string,
  signal: AbortSignal,
  onAnswer: (answer: IncomingMessage) => void,
): ClientRequest {
  // An import would load all of `fetch` with it.
  const { get } = process.getBuiltinModule('node:http');
  return get({ socketPath, path, signal, agent: false }, onAnswer);
}

/** Reads a JSON answer of bounded length; undefined where nothing is found. */
export async function getJson(
  socketPath: string,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  openRequest(socketPath, path, signal, resolve).on('error', reject);
  const answer = await promise;
  const body = await readBody(answer, maxBytes);
  if (answer.statusCode === 404) return undefined;
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  return JSON.parse(body.toString('utf8'));
}

/** Lists all containers, also those that have ended. */
export async function listContainers(socketPath: string, signal: AbortSignal): Promise<ListedContainer[]> {
  return List.parse(await getJson(socketPath, '/containers/json?all=1', LIST_MAX_BYTES, signal));
}
