import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../test/thoroughness.ts';
import { type ListForm, type ReadPage, readPages } from './read-pages.ts';

interface Row {
  readonly id: number;
}
/** A change of the list between two requests; places wrap around. */
type Change =
  | { readonly kind: 'add'; readonly at: number }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'move'; readonly at: number; readonly to: number };
type Paging = Parameters<ReadPage<Row>>[0];

const form = (names: readonly string[], size: number): ListForm<Row> => ({
  endpoint: { method: 'GET', path: '/list' },
  names,
  size,
  sizeMax: 10_000,
  identify: (row) => row.id,
  isDistinct: true,
});

/** A list that changes before each request but the first. */
function changingList(length: number, changes: readonly (readonly Change[])[]) {
  const list: Row[] = Array.from({ length }, (_, id) => ({ id }));
  const lasting = new Set(list.map(({ id }) => id));
  const gaps = [...changes];
  let nextId = length;
  let requests = 0;
  const apply = (change: Change) => {
    const at = change.at % (list.length + 1);
    if (change.kind === 'add') list.splice(at, 0, { id: nextId++ });
    else {
      const [row] = list.splice(at, 1);
      if (row === undefined) return;
      if (change.kind === 'delete') lasting.delete(row.id);
      else list.splice(change.to % (list.length + 1), 0, { ...row });
    }
  };
  return {
    list,
    /** Ids of the rows that are in the list all the time. */
    lasting,
    turn() {
      requests += 1;
      if (requests > 1) for (const change of gaps.shift() ?? []) apply(change);
      if (requests > 5_000) throw new Error('it reads for ever');
    },
  };
}

const place = fc.nat({ max: 200 });
/** Most changes are at the front, as in lists with the newest row first. */
const front = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: place });
const kept = [
  fc.record({ kind: fc.constant('add' as const), at: front }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.oneof(front, place) }),
];
const moved = fc.record({ kind: fc.constant('move' as const), at: place, to: front });
const gapsOf = (change: fc.Arbitrary<Change>) => fc.array(fc.array(change, { maxLength: 40 }), { maxLength: 12 });

/** Reads everything and checks the guarantee. */
async function expectComplete(read: ReadPage<Row>, names: readonly string[], size: number, lasting: Set<number>) {
  const ids: number[] = [];
  for await (const rows of readPages(read, form(names, size))) ids.push(...rows.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...lasting].filter((id) => !ids.includes(id))).toEqual([]);
}

describe('a list that changes while it is read', () => {
  const ranges = ({ start = 0, end = 0 }: Paging): [number, number] => [Number(start), Number(end)];
  const pages = ({ page = 0, page_size = 0 }: Paging): [number, number] => [
    (Number(page) - 1) * Number(page_size),
    Number(page) * Number(page_size),
  ];
  const consolePages = ({ _page = 0, _pagesize = 0 }: Paging): [number, number] =>
    pages({ page: _page, page_size: _pagesize });

  it.each([
    ['ranges', ['page', 'page_size', 'start', 'end'], ranges],
    ['pages', ['page', 'page_size'], pages],
    ["the console's pages", ['_page', '_pagesize'], consolePages],
  ] as const)('is complete by %s: rows are added and deleted, and keep their order', async (_, names, range) => {
    const cases = fc.asyncProperty(
      fc.nat({ max: 150 }),
      fc.integer({ min: 1, max: 40 }),
      gapsOf(fc.oneof(...kept)),
      async (length, size, gaps) => {
        const { list, lasting, turn } = changingList(length, gaps);
        const read: ReadPage<Row> = async (paging) => {
          turn();
          return { rows: list.slice(...range(paging)), next: undefined };
        };
        await expectComplete(read, names, size, lasting);
      },
    );
    await fc.assert(cases, { numRuns: atMost(30, 100) });
  });

  /** A server whose cursor stands for the rows that it has sent, each where it was last moved. */
  const cursorServer = (list: readonly Row[], turn: () => void): ReadPage<Row> => {
    const sent = new Map<string, ReadonlySet<Row>>([['', new Set()]]);
    return async ({ cursor = 'none', page_size = 0 }) => {
      turn();
      const before = sent.get(String(cursor)) ?? expect.unreachable('a cursor that the server never gave');
      const left = list.filter((row) => !before.has(row));
      const rows = left.slice(0, Number(page_size));
      const next = `after ${sent.size}`;
      sent.set(next, new Set([...before, ...rows]));
      return { rows, next: left.length <= rows.length ? null : next };
    };
  };

  it('is complete by cursors: rows also move', async () => {
    const cases = fc.asyncProperty(
      fc.nat({ max: 60 }),
      fc.integer({ min: 1, max: 20 }),
      gapsOf(fc.oneof(...kept, moved)),
      async (length, size, gaps) => {
        const { list, lasting, turn } = changingList(length, gaps);
        await expectComplete(cursorServer(list, turn), ['page_size', 'cursor'], size, lasting);
      },
    );
    await fc.assert(cases, { numRuns: atMost(30, 100) });
  });
});

describe('a cursor', () => {
  const names = ['page', 'page_size', 'start', 'end', 'cursor'];
  const readAll = async (answers: readonly { rows: Row[]; next: string | null | undefined }[]) => {
    const asked: Paging[] = [];
    const read: ReadPage<Row> = async (paging) => {
      asked.push(paging);
      return answers[asked.length - 1] ?? expect.unreachable('a request too many');
    };
    const ids: number[] = [];
    for await (const rows of readPages(read, form(names, 2))) ids.push(...rows.map(({ id }) => id));
    return { ids, asked };
  };

  it('begins empty and is followed until it is null, past short and empty pages', async () => {
    const answers = [
      { rows: [{ id: 1 }, { id: 2 }], next: 'a' },
      { rows: [], next: 'b' },
      { rows: [{ id: 2 }, { id: 3 }], next: 'c' },
      { rows: [{ id: 4 }], next: null },
    ];
    expect(await readAll(answers)).toEqual({
      ids: [1, 2, 3, 4],
      asked: ['', 'a', 'b', 'c'].map((cursor) => ({ page_size: 2, cursor })),
    });
  });

  it('is not missed on a server without cursors', async () => {
    const first = { rows: [{ id: 1 }, { id: 2 }], next: undefined };
    const { ids, asked } = await readAll([first, first, { rows: [{ id: 2 }, { id: 3 }], next: undefined }]);
    expect(ids).toEqual([1, 2, 3]);
    expect(asked).toEqual([
      { page_size: 2, cursor: '' },
      { start: 0, end: 2 },
      { start: 1, end: 4 },
    ]);
  });

  it.each([undefined, 'a'])('that continues as %j is an error', async (next) => {
    const answers = [
      { rows: [], next: 'a' },
      { rows: [], next },
    ];
    await expect(readAll(answers)).rejects.toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining('a page without the cursor of the next one'),
    });
  });
});
