// Types that the commands of lists share.

import type { FilterSource, ValueCounts } from '@quarterdeck/views/filters';
import type { Screen } from '../../commands/navigation.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Detail } from './detail-lines.ts';

/** Additions of a screen to its list. */
export interface ListExtras {
  /** Number of lines of the details in their pane. */
  readonly detailRows: number;
  readonly detail?: Detail | undefined;
  readonly refresh?: () => void;
  /** Called when the filter changes, if the server filters. */
  readonly onFilter?: (text: string) => void;
  /** Called when a facet is chosen, if the server filters. */
  readonly onFacet?: (facet: string, value: string) => void;
  /** Called when an order is chosen, if the server sorts. */
  readonly onSort?: (id: string) => void;
  /** Returns whether the server can sort by a column; all by default. */
  readonly isSortable?: (id: string) => boolean;
  /** Action of `open` instead of showing details. */
  readonly open?: () => void;
  readonly noDetail?: boolean;
  /** True if the screen has a command of its own on the keys of `open`. */
  readonly drills?: boolean;
  /** Returns the row as JSON, which may contain more than the columns. Rows never contain secrets. */
  readonly json?: (row: never) => unknown;
  /** Reads all rows that pass the filter, if the server filters. Reports the number of rows read so far. */
  readonly all?: (progress: (read: number) => void) => Promise<readonly unknown[]>;
  /** Counts the values of a column on the server, over all rows that pass the filter. */
  readonly frequency?: (column: string) => Promise<ValueCounts> | undefined;
  /** Writes what the filter passes to a file, if the server makes the file; returns a message. */
  readonly writeFile?: (path: string, overwrites: boolean) => Promise<string>;
  /** The screen of the list, for bookmarks. */
  readonly screen?: Screen;
  /** Returns the title and the time of a row's bookmark; the searched columns by default. */
  readonly bookmark?: (row: never) => { readonly title: string; readonly timeS: number };
  /** The curl command that reads this list. */
  readonly curl?: string | undefined;
  /** Describes the search of a literal filter. */
  readonly searches?: string;
  /** Names and values for completion; those of the rows by default. */
  readonly filterSource?: FilterSource;
  /** Commands that the list shows while it is empty, each to copy. */
  readonly ways?: readonly string[];
  /** Filter that Escape restores; none by default. */
  readonly homeFilter?: string;
}

/** The parts of the dashboard that list commands use. */
export type ListContext = Pick<Dashboard, 'open' | 'say' | 'copy' | 'store' | 'terminal' | 'keyOf' | 'profile'>;
