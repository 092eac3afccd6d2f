import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allFields } from '../tables/occurrence-fields.ts';
import { linesOf, type SentLine, toColumns } from './line-columns.ts';

const senders = ['gw1', 'gw2'].map((name) => ({ nodeType: 1, nodeId: 7, name, address: '192.0.2.1' }));
const text = fc.oneof(
  fc.constantFrom('x', 'é\n', '\n', '10.0.0.1', 'upstream timed out, client: 10.0.0.1, server: a'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);
const line = fc.record(
  {
    level: fc.nat(8),
    log: text,
    logTime: fc.nat(2 ** 32 - 1),
    appId: fc.nat(2 ** 31 - 1),
    reqId: fc.oneof(fc.constant(''), text),
    count: fc.integer({ min: 1, max: 1e9 }),
    service: fc.constantFrom('shop', 'ÀÉ'),
    fields: fc.dictionary(fc.constantFrom('pid', 'a', '__proto__', 'client', 'ß'), text, { minKeys: 1 }),
    lacksTime: fc.constant(true as const),
    lacksLevel: fc.constant(true as const),
  },
  { requiredKeys: ['level', 'log', 'logTime', 'appId', 'reqId', 'count'] },
);
const lines = fc.array(fc.record({ line, sender: fc.constantFrom(...senders) }), { maxLength: 120 });

/** A line whose fields are all that it has, in its text as well. */
const whole = ({ line: { fields, ...one }, sender }: SentLine) => ({
  ...one,
  fields: new Map(Object.entries(allFields(fields, one.log))),
  sender,
});

describe('lines as columns', () => {
  it('are the same lines again, whatever they have', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const columns = toColumns(given, ({ log }, i) => `${log} ${i % 3}`);
        const read = linesOf(columns);
        expect(read.map(whole)).toEqual(given.map(whole));
        const prints = Array.from(columns.printOf, (print) => columns.prints[print]);
        expect(prints).toEqual(given.map(({ line: { log } }, i) => `${log} ${i % 3}`));
      }),
      { numRuns: 300 },
    );
  });

  it('are few columns, however many names senders invent', () => {
    const given = Array.from({ length: 100 }, (_, i): SentLine => {
      const fields = Object.fromEntries(Array.from({ length: 50 }, (_field, k) => [`name ${i} ${k}`, 'x']));
      return {
        line: { level: 4, log: 'x', logTime: 1, appId: 0, reqId: '', count: 1, fields: { ...fields, pid: `${i}` } },
        sender: senders[0] as (typeof senders)[0],
      };
    });
    const columns = toColumns(given, () => 'f');
    expect(columns.values.map(({ name }) => name)).toEqual(['pid']);
    expect(linesOf(columns)).toEqual(given);
  });

  it('have room for texts of any bytes', () => {
    const given = Array.from({ length: 50 }, (): SentLine => {
      const log = 'é'.repeat(8_000);
      return {
        line: { level: 4, log, logTime: 1, appId: 0, reqId: '', count: 1 },
        sender: senders[0] as (typeof senders)[0],
      };
    });
    expect(linesOf(toColumns(given, () => 'f'))).toEqual(given);
  });
});
