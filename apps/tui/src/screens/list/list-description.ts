// A list screen as data: where its rows come from, what it shows of them, and what its keys do.

import type { Me } from '@quarterdeck/sdk';
import type { QuestionContext } from '@quarterdeck/views/questions';
import type { PartialRows, Query } from '@quarterdeck/views/reads';
import type { Message } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import type { Detail } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Commands } from '../../keys/use-commands.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import type { Run } from '../../theme/lines.ts';
import type { ListPlace } from './use-list-commands.ts';

/** The answer of a command that clears the filter where none is set. */
export const NO_FILTER_SET = 'No filter is set.';

export interface ListSource<T> {
  readonly rows: readonly T[];
  /** The state of the read; absent for rows that need no server. */
  readonly query?: Query<unknown> | undefined;
  readonly refresh?: () => void;
  /** Absent if all rows are always loaded. */
  readonly partial?: PartialRows;
}

/** Everything that a description can use. `S` is the source with whatever else it knows. */
export interface ListScreenContext<S> extends Dashboard, Omit<QuestionContext, 'profile'> {
  readonly source: S;
  /** The time, renewed every `clockMs`. */
  readonly nowMs: number;
  /** Runs a change, reports its result, and reads the rows again. */
  readonly run: (act: () => Promise<string>) => void;
}

/** The text in the place of a list without rows. */
export interface EmptyList {
  /** Shown before the first answer. */
  readonly reading?: string;
  readonly title: string;
  readonly lines?: readonly string[];
}

/** A list screen. `R` is what it reads about the selected row. */
export interface ListDescription<T extends { readonly id: number }, S, P extends ListPlace, R = undefined> {
  readonly place: P;
  /** A hook: reads the rows while `active`. */
  readonly useSource: (active: boolean) => S & ListSource<T>;
  /** Arguments of a visit that the source reads itself. */
  readonly sourceArguments?: readonly string[];
  /** Interval at which ages and dates are renewed, milliseconds; absent where there are none. */
  readonly clockMs?: number;
  readonly columns: (rows: readonly T[], nowMs: number, me: Me, glyphs: Glyphs) => readonly Column<T>[];
  readonly facets?: (nowMs: number) => readonly Facet<T>[];
  /** A hook: reads about the selected row while its details are open. */
  readonly useRow?: (row: T | undefined, active: boolean) => R;
  readonly detail?: (row: T, context: ListScreenContext<S & ListSource<T>>, read: R) => Detail;
  /** Set if Enter runs a command of the screen instead of showing details. */
  readonly drills?: true;
  /** Facts about the whole list, the most important first. */
  readonly chips?: (context: ListScreenContext<S & ListSource<T>>) => readonly Run[];
  /** Shown while there is no other message. */
  readonly standing?: (context: ListScreenContext<S & ListSource<T>>) => Message | null;
  readonly commands?: (list: List<T>, context: ListScreenContext<S & ListSource<T>>, read: R) => Partial<Commands<P>>;
  readonly empty: (context: ListScreenContext<S & ListSource<T>>) => EmptyList;
}
