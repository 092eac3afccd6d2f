// The command that sets a bookmark, and the dialog that lists all of them.

import type { Choice, ChooseDialog } from '@quarterdeck/views/questions';
import { clean, shortTime } from '@quarterdeck/views/text';
import type { Dashboard } from '../../context/dashboard.ts';
import { type Bookmark, toggleBookmark } from '../../settings/bookmarks.ts';
import { cellText } from './column.ts';
import type { ListContext, ListExtras } from './list-context.ts';
import type { List, ListCommands } from './use-list.ts';

/** Returns the command for the selected row. `screen` is the list's own. */
export function bookmarkCommands<T extends { readonly id: number }>(
  { selected, columns, bookmarked, rowKey }: List<T>,
  { store, profile, say, keyOf }: ListContext,
  { bookmark, screen }: Pick<ListExtras, 'bookmark' | 'screen'>,
): ListCommands {
  if (selected === undefined || screen === undefined) return {};
  const describe = bookmark as ((row: T) => { readonly title: string; readonly timeS: number }) | undefined;
  const named = columns.filter(({ searched }) => searched === true);
  const title = named.map((column) => cellText(column, selected)).join(' ');
  return {
    bookmark() {
      const words = describe?.(selected) ?? { title, timeS: 0 };
      const row = { screen, key: rowKey(selected), server: profile.url, timeS: words.timeS, title: clean(words.title) };
      store.setBookmarks(toggleBookmark(store.get().bookmarks, row));
      const isSet = !bookmarked.has(rowKey(selected));
      const text = isSet
        ? `Set a bookmark; ${keyOf('app.bookmarks') ?? ':bookmarks'} lists them.`
        : 'Cleared the bookmark.';
      say({ tone: 'good', text });
    },
  };
}

/** Goes to the row of a bookmark. */
function goTo({ screen, key, title }: Bookmark, go: Dashboard['go']): void {
  // The list of agents finds a host by its name, and then the agent by its id.
  go({ screen, args: { id: key, ...(screen === 'agents' ? { host: title } : {}) } });
}

/** Builds the dialog of this server's bookmarks, the newest first; null if there are none. */
export function bookmarksDialog(
  { store, profile, go, open, now }: Pick<Dashboard, 'store' | 'profile' | 'go' | 'open' | 'now'>,
  titleOf: (screen: Bookmark['screen']) => string,
  at = 0,
): ChooseDialog | null {
  const own = store
    .get()
    .bookmarks.filter(({ server }) => server === profile.url)
    .toReversed();
  if (own.length === 0) return null;
  const choices = own.map(
    ({ screen, timeS, title }, index): Choice => ({
      id: String(index),
      lead: timeS === 0 ? '' : shortTime(timeS, now()),
      text: title,
      note: titleOf(screen),
    }),
  );
  return {
    kind: 'choose',
    title: 'Bookmarks',
    choices,
    byLetter: true,
    at: Math.min(at, choices.length - 1),
    note: 'Enter go there   D delete',
    actions: [
      {
        key: 'D',
        run({ id }, index) {
          const gone = own[Number(id)];
          if (gone === undefined) return;
          store.setBookmarks(toggleBookmark(store.get().bookmarks, gone));
          const next = bookmarksDialog({ store, profile, go, open, now }, titleOf, index);
          if (next !== null) open(next);
        },
      },
    ],
    onTake({ id }) {
      const bookmark = own[Number(id)];
      if (bookmark !== undefined) goTo(bookmark, go);
    },
  };
}
