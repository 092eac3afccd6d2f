// Reads the input of a request and refuses what the server refuses.
import { AppError, parseInput } from '@quarterdeck/core';
import type { Found } from './find-route.ts';

const isJson = (type: string): boolean => type === '' || type === 'application/json' || type.endsWith('+json');
const isNdjson = (type: string): boolean => type === 'application/x-ndjson' || type === 'application/jsonl';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('malformed_json');
  }
}

const parseLines = (text: string, type: string): unknown[] =>
  isNdjson(type)
    ? text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(parseJson)
    : [parseJson(text)].flat();

function readBody({ endpoint: { body, consumes, bodyOptional } }: Found, text: string, type: string): unknown {
  if (body === undefined) return undefined;
  const isLines = consumes === 'lines';
  if (consumes !== 'any_type' && !isJson(type) && !(isLines && isNdjson(type))) {
    const wanted = isLines ? 'application/json or application/x-ndjson' : 'application/json';
    throw new AppError('unsupported_media_type', { message: `The Content-Type must be ${wanted}.` });
  }
  if (isLines) return parseLines(text, type);
  if (text.trim() !== '') return parseJson(text);
  if (bodyOptional) return {};
  throw new AppError('body_missing');
}

/**
 * Reads params, query and body of a request. Lines of the log intake come as a list.
 *
 * @throws AppError as the server: `validation_failed` names every invalid field
 */
export async function readInput(found: Found, request: Request): Promise<Record<string, unknown>> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';', 1);
  const body = readBody(found, await request.text(), type.trim().toLowerCase());
  const query = Object.fromEntries(new URL(request.url).searchParams);
  return parseInput(found.endpoint, { params: found.params, query, body });
}
