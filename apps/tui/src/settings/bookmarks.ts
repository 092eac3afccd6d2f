// Bookmarks of entries and lines. Pure.

import { isRecord } from '@quarterdeck/views/saved-views';
import { SCREENS, type Screen } from '../commands/navigation.ts';

/** A marked row of a screen. */
export interface Bookmark {
  readonly screen: Screen;
  /** Id of the row on the server. */
  readonly key: string;
  /** Address of the server that has the row. */
  readonly server: string;
  readonly title: string;
  /** Time of the row, Unix seconds; 0 if it has none. */
  readonly timeS: number;
}

/** Maximum number of bookmarks; the oldest one goes first. */
export const BOOKMARKS_MAX = 200;
/** Maximum length of a stored title, characters. */
const TITLE_MAX = 200;

const isSame = (a: Bookmark, b: Pick<Bookmark, 'screen' | 'key' | 'server'>): boolean =>
  a.screen === b.screen && a.key === b.key && a.server === b.server;

/** Sets a bookmark, or removes it if it is set. */
export function toggleBookmark(all: readonly Bookmark[], bookmark: Bookmark): readonly Bookmark[] {
  const others = all.filter((one) => !isSame(one, bookmark));
  if (others.length < all.length) return others;
  return [...all, { ...bookmark, title: bookmark.title.slice(0, TITLE_MAX) }].slice(-BOOKMARKS_MAX);
}

/** Reads stored bookmarks, ignoring invalid ones. */
export function readBookmarks(value: unknown): readonly Bookmark[] {
  if (!Array.isArray(value)) return [];
  return value
    .flatMap((one: unknown): Bookmark[] => {
      if (!isRecord(one)) return [];
      const { key, server, title, timeS } = one;
      const screen = SCREENS.find((name) => name === one['screen']);
      if (screen === undefined || typeof key !== 'string') return [];
      if (typeof server !== 'string' || typeof title !== 'string') return [];
      return [{ screen, key, server, title: title.slice(0, TITLE_MAX), timeS: Number(timeS) || 0 }];
    })
    .slice(-BOOKMARKS_MAX);
}
