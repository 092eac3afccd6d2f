import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Endpoint } from './endpoint.ts';
import { contract } from './index.ts';
import { parseInput } from './parse-input.ts';

const changes = Object.values(contract)
  .flatMap((table) => Object.values<Endpoint>(table))
  .filter(({ method, query }) => method !== 'GET' && query !== undefined);

/** Every parameter of a change, with its endpoint. */
const parameters = changes.flatMap((change) =>
  change.query instanceof z.ZodObject ? Object.keys(change.query.shape).map((name) => [change, name] as const) : [],
);

describe('an empty parameter', () => {
  it('of a change is refused', () => {
    expect(parameters.length).toBeGreaterThanOrEqual(changes.length);
    for (const [change, name] of parameters) {
      const parse = () =>
        parseInput({ ...change, body: z.unknown() }, { params: { id: 1 }, query: { [name]: '' }, body: {} });
      expect(parse, `${change.path}?${name}`).toThrow(`query.${name}: must be`);
    }
  });

  it('of a read is the same as none', () => {
    const raw = { params: {}, query: { level: '', limit: '5' }, body: undefined };
    expect(parseInput(contract.errlog.list, raw)['query']).toEqual(
      parseInput(contract.errlog.list, { ...raw, query: { limit: '5' } })['query'],
    );
  });
});
