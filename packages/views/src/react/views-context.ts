// The context of every hook: a front end provides it once.
import type { Client, Me } from '@quarterdeck/sdk';
import { createContext, use } from 'react';
import type { Confirm } from '../actions/confirmed.ts';
import type { Feed } from '../live/feed.ts';
import type { ReadAhead } from '../overview/ahead.ts';
import type { Message } from '../text/tone.ts';
import type { TimeRange } from '../times/range.ts';

/** The signed-in user, their client, and what their front end does with messages and failures. */
export interface Views {
  readonly client: Client;
  /** Requests that were sent before the first screen. */
  readonly ahead: ReadAhead;
  readonly me: Me;
  /** False while the credential is refused; nothing is read then. */
  readonly online: boolean;
  readonly feed: Feed | null;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Reports an error of a request. A refused credential brings the sign-in back. */
  readonly fail: (error: unknown) => void;
  readonly say: (message: Message | null) => void;
  /** Asks the user to confirm their identity. */
  readonly confirm: Confirm;
  /** The time range of all screens with errors; null = all times. */
  readonly range: TimeRange | null;
}

/** Provided by the front end. */
export const ViewsContext = createContext<Views | null>(null);

export function useViews(): Views {
  const views = use(ViewsContext);
  if (views === null) throw new Error('useViews outside of a ViewsContext');
  return views;
}
