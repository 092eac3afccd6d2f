// Text search, and everything else that a list can be asked wrongly.
import { ERRLOG_SORTS, lowerAscii, matchesErrlog } from '@quarterdeck/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../../../packages/core/test/any-character.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { type Answer, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const PATH = '/admin-api/log_server/errlog';
const HOUR_S = 3_600;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  // Tests say when the index learns new texts.
  await api.server.jobs.stop();
});
afterAll(() => api[Symbol.asyncDispose]());

const nowS = () => Math.floor(api.now() / 1000);
const ask = (path: string) => api.fetch(PATH + path, { headers: { 'edge-token': api.adminToken } });
/** Tells the index of every text. */
const index = () => api.server.jobs.runAll();

let apps = 8_000;
const newApp = () => {
  apps += 1;
  return apps;
};

/** Lets each of these texts be a group of an application of their own. */
async function store(texts: readonly string[]): Promise<number> {
  const app_id = newApp();
  // Texts that differ in numbers and the like only would be one group.
  await api.admin.errlog.append({ body: texts.map((log, i) => ({ level: i % 9, log, app_id, node_id: i })) });
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

describe('q', () => {
  it.each([
    ['timed out', ['upstream']],
    ['TIMED OUT (110: conn', ['upstream']],
    ['100%', ['100%']],
    ['%', ['100%', 'C:', '%_\\']],
    ['_', ['snake_', 'C:', '%_\\']],
    ['snake_case', ['snake_']],
    ['\\', ['C:', '%_\\']],
    ['\\n', ['C:']],
    ['"', ["it's", '"""', '"*']],
    ['"""', ['"""']],
    ["it's", ["it's"]],
    ["'); DROP", ['Robert']],
    ['OR b AND c NOT', ['a OR']],
    ['NEAR(e f, 2)', ['a OR']],
    ['*star*', ['col:']],
    ['col:value', ['col:']],
    ['-minus +plus ^', ['col:']],
    ['$1 $2 ?', ['$1']],
    [':name', ['$1']],
    ['\u{1f600}', ['emoji', '\u{1f601}']],
    ['\u{1f600}\u{1f601} and', ['emoji']],
    ['\u{1f468}\u200d\u{1f469}', ['family']],
    ['gr\u00f6\u00dfe', ['Gr']],
    ['gr\u00d6SSE', ['Gr']],
    ['GR\u00d6\u00dfE', []],
    ['\u00fc\u00dc', ['Gr']],
    ['\u00dc\u00dc', []],
    ['kelvin k', []],
    ['kelvin \u212a', ['turkish']],
    ['\u597d', ['\u4f60']],
    ['\u4f60\u597d\u4e16\u754c', ['\u4f60']],
    ['line\nbreak', ['tab']],
    ['   in   ', ['   spaces']],
    ['zero\u200bwidth', ['zero']],
    ['zerowidth', []],
    ['aab', ['aaaa']],
    ['aaaaaaaaaaaaaaaaaaaab', ['aaaa']],
    ['dolor lorem ipsum dolor lorem ipsum dolor lorem ipsum dolor end', ['long']],
    ['dolor lorem ipsum dolor lorem ipsum dolor lorem ipsum dolor END.', []],
    ['lorem ipsum dolor '.repeat(25), ['long']],
    ['nothing has this', []],
    ['\u{1f601}\u{1f600}', ['\u{1f601}']],
    ['\u{10ffff}', ['ends']],
    ['qZ', ['Qz']],
    ['zq', []],
    ['"*', ['"*']],
    ['*"', []],
    ['\u00c9', []],
  ])('finds %j literally', async (q, starts) => {
    const wanted = TEXTS.filter((text) => starts.some((start) => text.startsWith(start)));
    expect(await find(q, await storedTexts())).toEqual(wanted);
    await indexed();
    expect(await find(q, await storedTexts())).toEqual(wanted);
  });

  it('is one letter or two, wherever they are', async () => {
    const app_id = await store(TEXTS);
    const ends = TEXTS.flatMap((text) => {
      const characters = [...text];
      return [characters.slice(0, 1), characters.slice(0, 2), characters.slice(-2), characters.slice(-1)];
    });
    const short = new Set(ends.flatMap((end) => [end.join(''), end.join('').toUpperCase(), `${end[0]}%`]));
    const all = async () => {
      const found: [string, string[]][] = [];
      for (const q of short) found.push([q, await find(q, app_id)]);
      return found;
    };
    const wanted = [...short].map((q) => [q, TEXTS.filter((text) => lowerAscii(text).includes(lowerAscii(q)))]);
    expect(await all()).toEqual(wanted);
    await index();
    expect(await all()).toEqual(wanted);
  });

  it('is any text: the list, before and after the index knows them, agrees with what is live', async () => {
    const app_id = await store(TEXTS);
    const { data: entries } = await api.admin.errlog.list({ query: { app_id, page_size: 1_000, detail: 1 } });
    const pieces = fc
      .tuple(fc.constantFrom(...TEXTS), fc.nat(60), fc.integer({ min: 1, max: 30 }), fc.nat(2))
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
    const property = fc.asyncProperty(texts, async (q) => {
      const { data, meta } = await api.admin.errlog.list({ query: { q, app_id, page_size: 1_000, detail: 1 } });
      expect(meta).toEqual({ count: data.length, complete: true });
      expect(data).toEqual(entries.filter((entry) => matchesErrlog(entry, { q })));
    });
    await fc.assert(property, { numRuns: atMost(20, 120) });
    await index();
    await fc.assert(property, { numRuns: atMost(20, 120) });
  });

  it('is about every stored text of a group, at any moment', async () => {
    const app_id = newApp();
    const name = word();
    const now = nowS();
    const happen = (n: number, log_time: number) =>
      api.admin.errlog.append({ body: { level: 4, log: `${name} after ${n} ms`, app_id, log_time } });
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

  it('counts up to 5,000; of more it counts 500 and says so, in lists, facets and histograms', async () => {
    const app_id = newApp();
    const common = `${word()} everywhere`;
    const line = (log: string) => ({ level: 6, log: `${log} ${common}`, app_id });
    const names = Array.from({ length: 5_007 }, word);
    await api.admin.errlog.append({ body: names.slice(0, 5_000).map(line) });
    const query = { q: common, app_id, page_size: 0 };
    expect((await api.admin.errlog.list({ query })).meta).toEqual({ count: 5_000, complete: true });
    expect((await api.admin.errlog.facets({ query: { q: common } })).partial).toBeUndefined();
    await api.admin.errlog.append({ body: names.slice(5_000).map(line) });
    // The index knows none of them, and then all.
    for (const count of [5_000, 500]) {
      expect((await api.admin.errlog.list({ query })).meta).toEqual({ count, capped: true, complete: true });
      const deep = await api.admin.errlog.list({ query: { ...query, page: 250, page_size: 20 } });
      expect(deep.data).toHaveLength(20);
      expect(deep.meta).toEqual({ count: 5_000, capped: true, complete: true });
      const facets = await api.admin.errlog.facets({ query: { q: common } });
      expect(facets).toMatchObject({ partial: true, levels: [{ level: 6, count }], meta: { complete: false } });
      const histogram = await api.admin.errlog.histogram({ query: { q: common } });
      expect(histogram).toMatchObject({ partial: true, meta: { complete: false } });
      await index();
    }
    // A text in few of them is counted to the end.
    expect((await api.admin.errlog.list({ query: { q: names[5] ?? '', app_id } })).meta.capped).toBeUndefined();
  });

  it('finds what more than a few have in every order, with a filter and without', async () => {
    const app_id = newApp();
    const now = nowS();
    const common = `${word()} eke eel eve ewe eye`;
    const line = (_: unknown, i: number) => ({
      level: i % 7,
      log: `${word()} ${common}`,
      app_id,
      log_time: now - (i % 1_500),
      count: 1 + (i % 3 === 0 ? i % 41 : 0),
    });
    await api.admin.errlog.append({ body: Array.from({ length: 5_003 }, line) });
    await index();
    for (const sort of ERRLOG_SORTS) {
      for (const slice of [{ page_size: 25 }, { page: 3, page_size: 900 }]) {
        const wanted = await api.admin.errlog.list({ query: { app_id, sort, ...slice } });
        for (const filter of [{ app_id }, {}]) {
          const found = await api.admin.errlog.list({ query: { q: common, sort, ...filter, ...slice } });
          expect(found.meta.capped).toBe(true);
          expect(found.data.map(({ id }) => id)).toEqual(wanted.data.map(({ id }) => id));
        }
      }
      // So many begin with this letter, time and again, that the list is read.
      const found = await api.admin.errlog.list({ query: { q: 'E', sort, app_id, level: 3, page_size: 40 } });
      const wanted = await api.admin.errlog.list({ query: { sort, app_id, level: 3, page_size: 40 } });
      expect(found.data).toEqual(wanted.data);
    }
  });
});

let stored: Promise<number> | undefined;
const storedTexts = () => {
  stored ??= store(TEXTS);
  return stored;
};
let known: Promise<void> | undefined;
const indexed = () => {
  known ??= index();
  return known;
};

describe('GET /admin-api/log_server/errlog/histogram', () => {
  it('is about the last 24 hours when nobody says otherwise', async () => {
    const app_id = newApp();
    const now = nowS();
    const line = (log_time: number, count: number) => ({ level: 2, log: `${word()}`, app_id, log_time, count });
    await api.admin.errlog.append({ body: [line(now, 1), line(now - 23 * HOUR_S, 10), line(now - 25 * HOUR_S, 100)] });
    const { start, end, step, buckets } = await api.admin.errlog.histogram({ query: { app_id } });
    expect([end - start, step, buckets.length]).toEqual([24 * HOUR_S, 24 * 60, 60]);
    expect(end).toBeGreaterThan(now);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(11);
    expect(buckets.reduce((sum, { levels }) => sum + (levels[2] ?? 0), 0)).toBe(11);
  });

  it('answers for any times at all', async () => {
    const app_id = newApp();
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id, log_time: 0, count: 3 } });
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

describe('filters, on every path that has them', () => {
  const WRONG = [
    ...['level=9', 'level=x', 'level_max=-1', 'node_type=3', 'node_id=-1', 'app_id=1e3', 'src=x', 'start_time=-1'],
    ...['end_time=1.5', 'state=gone', 'state=new,gone', 'state=new,', 'state=NEW', `q=${'x'.repeat(501)}`, 'q=%00'],
    ...[`fingerprint=${'x'.repeat(65)}`, 'req_id=%00', 'level=1&level=2', 'state=new&state=new', 'q=a&q=b'],
  ];

  it.each(['', '/histogram', '/facets'])('%s refuses what is none, and names it', async (path) => {
    const own = path === '' ? ['sort=name', 'sort=--count', 'rollup=2', 'rollup=yes'] : [];
    const sized = path === '/histogram' ? ['buckets=0', 'buckets=1501', 'buckets=x'] : [];
    const topped = path === '/facets' ? ['top=0', 'top=1001', 'top=1.5'] : [];
    for (const wrong of [...WRONG, ...own, ...sized, ...topped]) {
      const { status, body } = await ask(`${path}?${wrong}`);
      expect([status, body.err?.code], wrong).toEqual([400, 'validation_failed']);
      expect(body.err.fields.map((field: Answer) => field.path)).toEqual([`query.${wrong.split('=')[0]}`]);
    }
  });

  it('take an empty value for none', async () => {
    const empty = `level=&level_max=&node_type=&node_id=&app_id=&src=&start_time=&end_time=&state=&q=&fingerprint=&req_id=`;
    for (const [path, own] of [
      ['', 'sort=&rollup=&detail='],
      ['/histogram', 'buckets='],
      ['/facets', 'top='],
      ['/', 'sort='],
      ['/facets/', 'top='],
    ] as const) {
      const [with_, without] = [await ask(`${path}?${empty}&${own}&whatever=1`), await ask(path)];
      expect([with_.status, with_.body.data], path).toEqual([200, without.body.data]);
    }
    const { status, body } = await api.fetch('/admin-api/log_server/source?q=&page=&page_size=', {
      headers: { 'edge-token': api.adminToken },
    });
    expect(status).toBe(200);
    expect(body.data.meta.count).toBeGreaterThan(1);
  });

  it.each(['/1/events', '/x', '/0', '/1.5', '/99999999999', '/x/events'])('GET %s with a wrong value', async (path) => {
    const { status, body } = await ask(`${path}?page_size=10001`);
    if (path === '/1/events') expect([status, body.err.fields[0].path]).toEqual([400, 'query.page_size']);
    else expect([status, body.err.fields?.[0].path]).toEqual([400, 'params.id']);
  });
});
