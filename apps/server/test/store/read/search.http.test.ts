// Text search, and histograms of any span.
import { lowerAscii, matchesErrlog } from '@quarterdeck/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../../../packages/core/test/any-character.ts';
import { updateSearchIndex } from '../../../../../packages/store/src/tables/search-index.ts';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { ERRLOG_PATH, errlogCalls } from '../../errlog-calls.ts';
import { useApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const HOUR_S = 3_600;

const api = useApi();
beforeAll(async () => {
  // Tests say when the index learns new texts.
  await api.server.jobs.stop();
});

const { newApp, nowS } = errlogCalls(() => api);
const ask = (path: string) => api.fetch(ERRLOG_PATH + path, { headers: { 'edge-token': api.adminToken } });
const append = (lines: readonly GroupLine[]) => storeGroups(api.server.deps.db, lines, api.now());
/** Tells the index of every text. */
const index = () => updateSearchIndex(api.server.deps.db, () => false, 0);

/** Lets each of these texts be a group of an application of their own. */
async function store(texts: readonly string[]): Promise<number> {
  const app_id = newApp();
  // Texts that differ in numbers and the like only would be one group.
  await append(texts.map((log, i) => ({ level: i % 9, log, app_id, node_id: i })));
  expect((await api.admin.errlog.list({ query: { app_id } })).meta.count).toBe(texts.length);
  return app_id;
}

/** Finds texts in the order in which they were stored. */
async function find(q: string, app_id: number): Promise<string[]> {
  const { data, meta } = await api.admin.errlog.list({ query: { q, app_id, page_size: 1_000 } });
  expect(meta).toEqual({ count: data.length, complete: true });
  return data.map(({ log }) => log).reverse();
}

const TEXTS = [
  'upstream timed out (110: Connection timed out) while reading response header',
  '100% of the disk, 100 of it',
  'snake_case and snakeXcase',
  'C:\\Windows\\System32 \\n \\% \\_',
  `it's "quoted" and 'single' \`ticks\``,
  'a OR b AND c NOT d NEAR(e f, 2)',
  'col:value -minus +plus ^caret {brace} [bracket] (paren) *star*',
  "Robert'); DROP TABLE errlog; --",
  '$1 $2 ? ?? :name @at #hash',
  'emoji \u{1f600}\u{1f601} and \u{1fa00}',
  'family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} joined',
  'Gr\u00f6\u00dfe GR\u00d6SSE \u00fc\u00dc',
  'turkish \u0131\u0130 and kelvin \u212a',
  '\u4f60\u597d\u4e16\u754c',
  'null \ufffd replaced',
  'tab\there and line\nbreak',
  'zero\u200bwidth and \u202e bidi',
  '   spaces   in   rows   ',
  'x',
  '%_\\',
  '"""',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
  'Qz',
  '"*',
  '\u00e9',
  '\u{1f601}\u{1f600}',
  '\uffff no character \ufffe',
  'marks \u0001 and \u0001\u0001',
  'ends in \u{10ffff}',
  `long ${'lorem ipsum dolor '.repeat(200)}end`,
];

/** Texts with a meaning elsewhere, in other cases, and that none has. */
const SPECIAL = [
  ...['timed out', '%', '_', '\\', '"', "'); DROP", 'OR b AND c NOT', 'NEAR(e f, 2)', '*star*', '$1 $2 ?', '"*', 'qZ'],
  ...['\u{1f600}', '\u{1f468}\u200d\u{1f469}', '\u{10ffff}', '\u4f60\u597d\u4e16\u754c', 'line\nbreak', '   in   '],
  ...[
    'gr\u00d6SSE',
    'GR\u00d6\u00dfE',
    '\u00dc\u00dc',
    '\u00c9',
    'kelvin k',
    'zero\u200bwidth',
    'aaaaaaaaaaaaaaaaaaaab',
  ],
  ...['lorem ipsum dolor '.repeat(25), `${'dolor lorem ipsum '.repeat(3)}dolor end`, 'ipsum dolor END.'],
];

describe('q', () => {
  it('is any text, found literally before and after the index knows the texts, as what is live', async () => {
    const app_id = await store(TEXTS);
    const { data: entries } = await api.admin.errlog.list({ query: { app_id, page_size: 1_000, detail: 1 } });
    const pieces = fc
      .tuple(fc.constantFrom(...TEXTS), fc.nat(60), fc.oneof(fc.constantFrom(1, 2), fc.nat(30)), fc.nat(2))
      .map(([text, from, n, how]) => {
        const piece = text.slice(from, from + n).toWellFormed();
        return how === 0 ? piece : how === 1 ? piece.toUpperCase() : piece.toLowerCase();
      });
    const special = fc
      .array(fc.constantFrom('%', '_', '\\', '"', "'", '*', 'a', ' ', '\u{1f600}', 'AND'), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.join(''));
    const any = fc.oneof(pieces, special, fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: 'grapheme' }));
    const texts = any.map((q) => q.replaceAll('\u0000', '').slice(0, 500).toWellFormed()).filter((q) => q !== '');
    const expectFound = async (q: string) => {
      const { data, meta } = await api.admin.errlog.list({ query: { q, app_id, page_size: 1_000, detail: 1 } });
      expect(meta).toEqual({ count: data.length, complete: true });
      expect(data, q).toEqual(entries.filter(({ log }) => lowerAscii(log).includes(lowerAscii(q))));
      expect(data).toEqual(entries.filter((entry) => matchesErrlog(entry, { q })));
    };
    const property = fc.asyncProperty(texts, expectFound);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await index();
      for (const q of nonEmpty(SPECIAL)) await expectFound(q);
      await fc.assert(property, { numRuns: atMost(6, 120) });
    }
  });

  it('is about every stored text of a group, at any moment', async () => {
    const app_id = newApp();
    const name = word();
    const now = nowS();
    const happen = (n: number, log_time: number) =>
      append([{ level: 4, log: `${name} after ${n} ms`, app_id, log_time }]);
    const found = async (n: number) => (await find(`after ${n} ms`, app_id)).length;
    await happen(111, now - 9);
    expect(await found(111)).toBe(1);
    await index();
    await happen(222, now - 5);
    expect([await found(111), await found(222), await found(333)]).toEqual([1, 1, 0]);
    await happen(333, now - 7);
    expect([await found(222), await found(333)]).toEqual([1, 1]);
    await index();
    expect([await found(111), await found(222), await found(333), await found(444)]).toEqual([1, 1, 1, 0]);
    // Said again, word for word.
    await happen(222, now - 3);
    await index();
    expect(await found(222)).toBe(1);
  });
});

describe('GET /admin-api/log_server/errlog/histogram', () => {
  it('is about the last 24 hours when nobody says otherwise', async () => {
    const app_id = newApp();
    const now = nowS();
    const line = (log_time: number, count: number) => ({ level: 2, log: `${word()}`, app_id, log_time, count });
    await append([line(now, 1), line(now - 23 * HOUR_S, 10), line(now - 25 * HOUR_S, 100)]);
    const { start, end, step, buckets } = await api.admin.errlog.histogram({ query: { app_id } });
    expect([step, start % step, end % step, buckets.length]).toEqual([1_800, 0, 0, (end - start) / step]);
    expect(start).toBeLessThanOrEqual(now - 24 * HOUR_S + 60);
    expect(end).toBeGreaterThan(now);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(11);
    expect(buckets.reduce((sum, { levels }) => sum + (levels[2] ?? 0), 0)).toBe(11);
  });

  it('answers for any times at all', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: word(), app_id, log_time: 0, count: 3 }]);
    for (const filter of ['', `app_id=${app_id}`, `q=${word()}`]) {
      for (const [times, n] of [
        ['start_time=0&end_time=0', 1],
        ['end_time=0', 1],
        ['start_time=0', 60],
        ['start_time=9007199254740991', 1],
        ['end_time=9007199254740991', 60],
        ['start_time=0&end_time=9007199254740991', 60],
        ['start_time=5000&end_time=100', 0],
        [`start_time=${nowS() + 10 * HOUR_S}`, 1],
      ] as const) {
        const { status, body } = await ask(`/histogram?${filter}&${times}`);
        expect(status, `${filter} ${times}`).toBe(200);
        const { start, end, step, buckets } = body.data;
        expect(buckets.length, `${filter} ${times}`).toBeLessThanOrEqual(Math.max(60, n));
        if (n < 60) expect(buckets, `${filter} ${times}`).toHaveLength(n);
        expect([start % 60, end % 60, step % 60]).toEqual([0, 0, 0]);
      }
    }
    const { body } = await ask(`/histogram?app_id=${app_id}&start_time=0&end_time=0`);
    expect(body.data.buckets).toMatchObject([{ time: 0, count: 3 }]);
  });
});
