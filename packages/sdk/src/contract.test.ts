import { contract, type Endpoint, ErrlogEntry, EVENTS, Line } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { nonEmpty } from '../../../test/non-empty.ts';
import { contract as ours } from './contract.ts';
import * as schemas from './generated/schemas.ts';
import type { Routes } from './request/route.ts';

const endpoints = nonEmpty(
  Object.entries(contract).flatMap(([noun, table]) =>
    Object.entries(table as Readonly<Record<string, Endpoint>>).map(([verb, { data }]) => ({ noun, verb, data })),
  ),
);
const data: Readonly<Record<string, Readonly<Record<string, () => z.core.$ZodType>>>> = schemas.DATA;

/** Form of a schema, without its texts for people. */
const formOf = (schema: z.core.$ZodType | undefined): unknown =>
  JSON.parse(
    JSON.stringify(schema === undefined ? 'no schema' : z.toJSONSchema(schema, { io: 'output' }), (key, value) =>
      key === 'description' || key === 'example' || key === 'examples' ? undefined : value,
    ),
  );

describe('the contract of the SDK', () => {
  it('has the data of every endpoint and event, and the rows of the exports', () => {
    for (const { noun, verb, data: schema } of endpoints.filter((one) => !(one.data instanceof z.ZodUndefined))) {
      expect(formOf(data[noun]?.[verb]?.()), `${noun}.${verb}`).toEqual(formOf(schema));
    }
    for (const [type, schema] of nonEmpty(Object.entries(EVENTS))) {
      expect(formOf(schemas.EVENTS[type as keyof typeof EVENTS]())).toEqual(formOf(schema));
    }
    expect(formOf(schemas.ROWS.errlog())).toEqual(formOf(ErrlogEntry));
    expect(formOf(schemas.ROWS.line())).toEqual(formOf(Line));
  });

  it('compares the answers of every endpoint', () => {
    for (const { noun, verb, data: schema } of endpoints) {
      const route = (ours as Routes)[noun]?.[verb];
      for (const value of [undefined, {}, [], { data: [], meta: { count: -1 } }]) {
        expect(route?.data.safeParse(value).success, `${noun}.${verb}`).toBe(schema.safeParse(value).success);
      }
    }
  });

  it('says in English what does not fit', () => {
    const issues = ours['system']?.['version']?.data.safeParse({ version: 'one', product_type: 'x' }).error?.issues;
    expect(issues?.map(({ message }) => message)).toEqual(['Invalid input: expected number, received string']);
  });
});
