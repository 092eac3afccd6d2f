import { describe, expect, it } from 'vitest';
import { BOOKMARKS_MAX, type Bookmark, readBookmarks, toggleBookmark } from './bookmarks.ts';

describe('bookmarks', () => {
  const mark = (key: string): Bookmark => ({ screen: 'errlog', key, server: 'http://a', title: 't', timeS: 5 });

  it('are set and removed, for each server alone', () => {
    const all = toggleBookmark(toggleBookmark([], mark('1')), { ...mark('1'), server: 'http://b' });
    expect(all).toHaveLength(2);
    expect(toggleBookmark(all, mark('1')).map(({ server }) => server)).toEqual(['http://b']);
  });

  it('are bounded; the oldest one goes', () => {
    let all: readonly Bookmark[] = [];
    for (let n = 0; n <= BOOKMARKS_MAX; n += 1) all = toggleBookmark(all, mark(String(n)));
    expect([all.length, all[0]?.key]).toEqual([BOOKMARKS_MAX, '1']);
  });

  it('survive the state file, without damaged ones', () => {
    const stored = [mark('1'), null, { ...mark('2'), screen: 'moon' }, { ...mark('3'), key: 3 }];
    expect(readBookmarks(JSON.parse(JSON.stringify(stored)))).toEqual([mark('1')]);
  });
});
