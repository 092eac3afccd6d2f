import { createBuilders } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { differingFields, growShape, lineValue, NO_SHAPE } from './line-fields.ts';

const build = createBuilders();
const line = (fields: Record<string, string>) => build.line({ fields });

describe('the fields of lines', () => {
  it('have a column where they differ', () => {
    const lines = [
      line({ client: 'a', server: 's', request: 'GET /' }),
      line({ client: 'b', server: 's', request: 'GET /login' }),
      line({ client: 'a', server: 's', request: 'GET /' }),
    ];
    expect(differingFields(growShape(NO_SHAPE, lines))).toEqual(['client', 'request']);
  });

  it('have the first columns where all lines have them', () => {
    const lines = [line({ upstream: 'a', request: 'GET /' }), line({ upstream: 'b', request: 'GET /login' })];
    expect(differingFields(growShape(NO_SHAPE, lines))).toEqual(['upstream', 'request']);
    const more = [...lines, line({ request: 'GET /missing' })];
    expect(differingFields(growShape(NO_SHAPE, more))).toEqual(['request', 'upstream']);
  });

  it('have no column where all lines that have them have the same', () => {
    const lines = [line({ user: 'ann' }), line({}), line({ user: 'ann' })];
    expect(differingFields(growShape(NO_SHAPE, lines))).toEqual([]);
  });

  it('have no column where few lines have them, or there is one line', () => {
    const lines = [line({ rare: 'x' }), line({ rare: 'y' }), ...Array.from({ length: 9 }, () => line({}))];
    expect(differingFields(growShape(NO_SHAPE, lines))).toEqual([]);
    expect(differingFields(growShape(NO_SHAPE, [line({ client: 'a' })]))).toEqual([]);
  });

  it('are measured batch by batch, and bounded in number', () => {
    const shape = growShape(growShape(NO_SHAPE, [line({ client: 'a' })]), [line({ client: 'b' })]);
    expect(differingFields(shape)).toEqual(['client']);
    const many = Array.from({ length: 500 }, (_, index) => line({ [`name${index}`]: 'x' }));
    expect(growShape(NO_SHAPE, many).fields.size).toBeLessThan(100);
  });

  it('are found by their names in a filter', () => {
    const one = build.line({ host: 'web-1', level: 4, group: 7, fields: { client: 'a', host: 'shop.example.com' } });
    expect(
      ['client', 'host', 'fields.host', 'level', 'group', 'toString', 'absent'].map((name) => lineValue(one, name)),
    ).toEqual(['a', 'web-1', 'shop.example.com', 'error', '7', '', '']);
  });
});
