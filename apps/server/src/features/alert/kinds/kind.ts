// The interface between the rounds of alerts and the kinds of rules. A kind only reads: the round stores and notifies.
import type { AlertConditionState, AlertKind, AlertPer, Resource } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { LineReads } from '@quarterdeck/store';
import type { KeyRing } from '../../../auth/key-ring.ts';
import type { ListeningWindow } from '../../agent/records/listening-window.ts';
import type { ServerHealth } from './health-state.ts';

/** A rule as its kind sees it. Settings that do not belong to the kind are 0, `group` or `disk`. */
export interface WatchingRule {
  /** 0 in a preview. */
  readonly id: number;
  readonly kind: AlertKind;
  readonly count: number;
  readonly withinS: number;
  readonly per: AlertPer;
  readonly resource: Resource;
  /** Text in the filter language; empty matches everything. */
  readonly filter: string;
  /** Sources that its author may see, in the filter language; empty is all. */
  readonly within: string;
}

/** One evaluation of all rules, or a preview. */
export interface Round {
  readonly read: Tx;
  readonly nowMs: number;
  /** Frees the event loop between portions of work: SQLite answers synchronously. */
  readonly eventLoop: EventLoopYield;
  /** Runs a read that several rules need once in a round. The key names the read with all that it depends on. */
  once<T>(key: string, read: () => Promise<T>): Promise<T>;
  /** True when the round must end: the server stops, or the time of a preview is over. */
  stopped(): boolean;
}

/** A cause that a kind has found. */
export interface Cause {
  /** The same for the same cause in every round and on every server, such as `group:17` or `agent:12`. */
  readonly key: string;
  /** One line for people, without control characters. The round cleans and cuts it. */
  readonly title: string;
  /** More of it, as JSON: ids, names, numbers. Never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Start of the cause, Unix milliseconds. */
  readonly sinceMs: number;
  /** Ids of the groups of errors that it is about; absent where it is about something else. */
  readonly groups?: readonly number[] | undefined;
  /** The same for equal errors on all hosts: causes of one moment that share it are one alert. */
  readonly error?: string | undefined;
  /**
   * Cause of an outage, such as `outage:3`, with which this one began. While an alert of it is open, this one hangs
   * under that alert and is not notified itself.
   */
  readonly parentCause?: string | undefined;
  /** Stored, not notified: a muted group, an agent in maintenance. Notified when this ends while the cause lasts. */
  readonly silent?: boolean | undefined;
}

/** Causes since a position. */
export interface Happened {
  /** Oldest first. */
  readonly causes: readonly Cause[];
  /** Position behind all of them: any JSON value. */
  readonly position: unknown;
  /** Number of further causes that `position` is behind as well; only their number is reported. */
  readonly more?: number | undefined;
}

/** End of a cause, in words. */
export interface Ending {
  /** One line for people, as of a {@link Cause}. */
  readonly title: string;
  /** Replaces the detail of the alert. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** All causes that hold now. */
export interface Active {
  /** In the order in which they are notified. */
  readonly causes: readonly Cause[];
  /** Number of further causes, beyond {@link CAUSES_MAX}. */
  readonly more?: number | undefined;
  /** Open cause that no longer holds -> its end, where more is known of it than that it has ended. */
  readonly endings?: ReadonlyMap<string, Ending> | undefined;
}

/** From the start of a cause to its end. */
export interface Episode {
  readonly key: string;
  readonly title: string;
  readonly sinceMs: number;
  /** null: it lasts; the same as `sinceMs` where the kind has no ends. */
  readonly untilMs: number | null;
  readonly silent?: boolean | undefined;
  readonly parentCause?: string | undefined;
}

/** Findings of a rule in a span that ends now. */
export interface Replay {
  readonly episodes: readonly Episode[];
  /** Why not all of the span was looked at; absent where it was. */
  readonly whyIncomplete?: string | undefined;
}

/** Numbers of a kind at a moment, beside its causes. */
export interface Explanation {
  /** Conditions on what the rule looks at, in the order of `ALERT_CHECKS`: the nearest to the limit first. */
  readonly conditions: readonly AlertConditionState[];
  /** Why some of it is not known; absent where all is. */
  readonly whyIncomplete?: string | undefined;
}

interface AnyKind {
  /**
   * Finds the causes of a rule since a time in stored data, before `for`, `cooldown` and outages are applied.
   * Ends early when {@link Round.stopped} is true.
   */
  replay(round: Round, rule: WatchingRule, fromMs: number): Promise<Replay>;
  /**
   * Reads the numbers that decide at a time, Unix milliseconds, also those that are not over the limit. The causes
   * alone decide whether the condition is met. Absent where a kind has no numbers.
   */
  explain?(round: Round, rule: WatchingRule, atMs: number): Promise<Explanation>;
}

/** Age of a moment that counts as now: the present numbers are more exact than those of a minute. */
const PRESENT_MS = 60_000;

/** True for a moment that counts as now. */
export const isPresent = ({ nowMs }: Pick<Round, 'nowMs'>, atMs: number): boolean => nowMs - atMs < PRESENT_MS;

/** A kind whose causes happen in a moment. Each is notified once and has no end. */
export interface MomentKind extends AnyKind {
  readonly ends: false;
  /** Its alerts last until their groups have not happened for a while; otherwise they end at once. */
  readonly lasts?: boolean;
  /** Title of a message about many causes at once, such as `1234 new errors`. */
  manyTitle(count: number): string;
  /**
   * Position from which a new rule reads: it does not notify of the past. The service stores it with the rule, so that
   * nothing is missed which happens after the answer, and before the first round.
   */
  start(round: Round): Promise<unknown>;
  /** Causes after a position that {@link start} or an earlier round returned; a bounded number of them. */
  happened(round: Round, rule: WatchingRule, position: unknown): Promise<Happened>;
}

/** A kind whose causes last. */
export interface LastingKind extends AnyKind {
  readonly ends: true;
  /**
   * All causes that hold now. `open` are those that the rule has found before and that have not ended: for them another
   * threshold may hold. Undefined where this round does not look: nothing changes then.
   */
  active(round: Round, rule: WatchingRule, open: ReadonlySet<string>): Promise<Active | undefined>;
}

/** Search of a kind of rules. It may throw: its rules then stay as they are, and the reason is logged. */
export type Kind = MomentKind | LastingKind;

/** Position of a rule that begins now, as text; empty where the kind needs none. */
export const startOf = async (kind: Kind, round: Round): Promise<string> =>
  kind.ends ? '' : JSON.stringify(await kind.start(round));

/** Kind of rule -> its implementation. */
export type Kinds = Readonly<Record<AlertKind, Kind>>;

/** More causes than these, found at one moment, become one message that has their number. */
export const SINGLE_NOTIFICATIONS_MAX = 20;
/** Open alerts of a rule at most. One further alert says how many causes there are beyond. */
export const CAUSES_MAX = 1_000;

/** Reason of an incomplete preview whose round was stopped. */
export const TIME_OVER = 'The time of the preview was over. Narrow the rule with a filter.';

/** Parts of a server that kinds of rules work with. */
export interface KindNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly lineReads: LineReads;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly listeningWindow: ListeningWindow;
  readonly health: ServerHealth;
}

/** Creates the context of one evaluation. */
export function createRound(read: Tx, nowMs: number, stopped: () => boolean): Round {
  const reads = new Map<string, Promise<unknown>>();
  return {
    read,
    nowMs,
    eventLoop: new EventLoopYield(),
    stopped,
    once<T>(key: string, run: () => Promise<T>): Promise<T> {
      const known = reads.get(key) ?? run();
      reads.set(key, known);
      return known as Promise<T>;
    },
  };
}
