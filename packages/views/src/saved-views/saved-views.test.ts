import { describe, expect, it } from 'vitest';
import { isSameView, readViews, type SavedView, VIEWS_MAX, withView } from './saved-views.ts';

const content: SavedView['content'] = {
  filter: { level_max: 4, state: 'new' },
  text: 'timeout',
  facets: { role: ['viewer'] },
  range: { kind: 'last', seconds: 3600 },
  columns: { sort: [{ id: 'count', down: true }], order: ['time'], hidden: ['source'], shown: [], widths: { time: 9 } },
};
const view = (name: string): SavedView => ({ name, content });

describe('saved views', () => {
  it('survive the state file', () => {
    const since = { ...content, range: { kind: 'since', startS: 5 } as const };
    const span = { ...content, range: { kind: 'span', startS: 5, endS: 9 } as const };
    const views = { errlog: [view('night'), { name: 'since', content: since }, { name: 'span', content: span }] };
    expect(readViews(JSON.parse(JSON.stringify(views)))).toEqual(views);
  });

  it.each([
    [null],
    [[]],
    [{ errlog: 'x' }],
    [{ errlog: [null, 3, {}, { name: 'a' }, { name: '', content: {} }, { name: 'x'.repeat(41), content: {} }] }],
  ])('are none after %j', (damaged) => {
    expect(Object.values(readViews(damaged)).flat()).toEqual([]);
  });

  it('keep what is valid of a damaged one', () => {
    const damaged = { filter: { level: 4, bad: { a: 1 } }, text: 3, range: { kind: 'last', seconds: -1 }, columns: 7 };
    expect(readViews({ errlog: [{ name: 'a', content: damaged }] })['errlog']?.[0]?.content).toEqual({
      filter: { level: 4 },
      text: '',
      facets: {},
      range: null,
      columns: { sort: [], order: [], hidden: [], shown: [], widths: {} },
    });
  });

  it('are the same whatever the order of their fields', () => {
    expect(isSameView(content, { ...content, filter: { state: 'new', level_max: 4 } })).toBe(true);
    expect(isSameView(content, { ...content, range: null })).toBe(false);
  });

  it('are replaced in their place, and bounded', () => {
    const views = withView([view('a'), view('b')], { name: 'a', content: { ...content, text: '' } });
    expect(views.map(({ name, content: { text } }) => `${name}${text}`)).toEqual(['a', 'btimeout']);
    let many: readonly SavedView[] = [];
    for (let n = 0; n < 50; n += 1) many = withView(many, view(`v${n}`));
    expect(many).toHaveLength(VIEWS_MAX);
    const stored = Array.from({ length: 50 }, (_, n) => view(`v${n}`));
    expect(readViews({ errlog: stored })['errlog']).toHaveLength(VIEWS_MAX);
  });
});
