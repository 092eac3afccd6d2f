// Fields of the objects that a command prints: the names that `--columns` and `--filter` may have.
import { nearest } from '@quarterdeck/core/plain';
import { type EndpointName, endpointOf } from './command.ts';

/** Behind a path: any name may follow. */
const OPEN = '.*';

/** Fields of the data of an endpoint, or of the members of a list in it: `fieldsOf('line.context', 'data[]')`. */
export function fieldsOf(endpoint: EndpointName, list = ''): string[] {
  const prefix = list === '' ? '' : `${list}.`;
  return endpointOf(endpoint)
    .data.filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length))
    .filter((path) => !path.includes('[]'));
}

/** Fields of the rows of a list. The list of agents is bare (specification 4.6). */
export const rowFields = (endpoint: EndpointName): string[] =>
  fieldsOf(endpoint, endpointOf(endpoint).data[0]?.startsWith('[]') === true ? '[]' : 'data[]');

/** Reports whether fields have a path, or are open to it. */
export const hasField = (fields: readonly string[], path: string): boolean =>
  fields.includes(path) ||
  fields.some((one) => one.endsWith(OPEN) && path.length >= one.length && path.startsWith(one.slice(0, -1)));

/** Says which field was probably meant, and which there are. */
export function fieldHint(fields: readonly string[], path: string): string {
  const named = fields.filter((one) => !one.endsWith(OPEN));
  const shown = fields.map((one) => (one.endsWith(OPEN) ? `${one.slice(0, -1)}NAME` : one));
  if (shown.length === 0) return 'This command prints no fields.';
  const meant = nearest(path, named);
  return `${meant === undefined ? '' : `Did you mean ${meant}? `}Fields: ${shown.join(', ')}.`;
}
