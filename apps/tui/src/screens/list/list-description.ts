// A list screen as data: where its rows come from, what it shows of them, and what its keys do.
import type { Me } from '@quarterdeck/sdk';
import type { Column } from '../../components/list/column.ts';
import type { Detail } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard, Message } from '../../data/dashboard.ts';
import type { Query } from '../../data/query.ts';
import type { Commands } from '../../keys/use-commands.ts';
import type { Run } from '../../text/lines.ts';
import type { ListPlace } from './use-list-commands.ts';

/** The rows of a screen. */
export interface ListSource<T> {
  readonly rows: readonly T[];
  /** The state of the read; absent for rows that need no server. */
  readonly query?: Query<unknown> | undefined;
  readonly refresh?: () => void;
}

/** Everything that the dialogs of a list need. */
export interface DialogContext extends Pick<Dashboard, 'client' | 'me' | 'profile' | 'now' | 'renew'> {
  /** Reads the rows again. */
  readonly refresh: () => void;
}

/** Everything that a description can use. `S` is the source with whatever else it knows. */
export interface ListScreenContext<S> extends Dashboard, DialogContext {
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

/** A list screen. */
export interface ListDescription<T extends { readonly id: number }, S, P extends ListPlace> {
  readonly place: P;
  /** A hook: reads the rows while `active`. */
  readonly useSource: (active: boolean) => S & ListSource<T>;
  /** Interval at which ages and dates are renewed, milliseconds; absent where there are none. */
  readonly clockMs?: number;
  readonly columns: (rows: readonly T[], nowMs: number, me: Me) => readonly Column<T>[];
  readonly facets?: (nowMs: number) => readonly Facet<T>[];
  readonly detail?: (row: T, context: ListScreenContext<S & ListSource<T>>) => Detail;
  /** Facts about the whole list, the most important first. */
  readonly chips?: (context: ListScreenContext<S & ListSource<T>>) => readonly Run[];
  /** Shown while there is no other message. */
  readonly standing?: (context: ListScreenContext<S & ListSource<T>>) => Message | null;
  readonly commands?: (list: List<T>, context: ListScreenContext<S & ListSource<T>>) => Partial<Commands<P>>;
  readonly empty: (context: ListScreenContext<S & ListSource<T>>) => EmptyList;
}
