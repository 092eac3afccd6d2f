// What the first screen is going to ask for, asked as soon as it is known who asks: the answers are on their way while
// everything that draws is still being loaded. No React here.
import { can, contract, type Subject } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { listErrlog, NO_FILTER } from './data/errlog.ts';
import { type Fleet, readFleet } from './data/fleet.ts';
import { readTokens, type Tokens } from './data/lists.ts';
import type { Screen } from './navigation.ts';
import { PAGE_ROWS } from './screens/errlog/errlog-state.ts';
import { type Errors, readErrors } from './screens/overview/overview-read.ts';

/** What can be asked ahead. */
interface Answers {
  readonly errors: Errors;
  readonly fleet: Fleet;
  readonly tokens: Tokens;
  readonly errlog: Awaited<ReturnType<typeof listErrlog>>;
}

/** Answers on their way; each is handed over once. */
export interface ReadAhead {
  /** `of`: what was asked with; another one is another question. Undefined where it was not asked. */
  readonly take: <K extends keyof Answers>(what: K, of?: number) => Promise<Answers[K]> | undefined;
}

/** What a dashboard begins with. */
export interface First {
  readonly screen: Screen;
  readonly nowMs: number;
  /** Of the overview's chart. */
  readonly buckets: number;
}

/** Asks for what the first screen begins with, as far as this user may see it. */
export function readAhead(client: Client, subject: Subject, { screen, nowMs, buckets }: First): ReadAhead {
  const asked = new Map<string, Promise<unknown>>();
  const ask = (name: string, answer: Promise<unknown>): void => {
    // Whoever takes it hears of a failure; before that nobody need.
    answer.catch(() => undefined);
    asked.set(name, answer);
  };
  const maySeeErrors = can(subject, contract.errlog.list.access);
  if (screen === 'errlog' && maySeeErrors) {
    ask(`errlog ${PAGE_ROWS}`, listErrlog(client, NO_FILTER, { start: 0, end: PAGE_ROWS }));
  }
  if (screen === 'overview') {
    if (maySeeErrors) ask(`errors ${buckets}`, readErrors(client, nowMs, buckets));
    if (can(subject, contract.agent.list.access)) ask('fleet ', readFleet(client));
    if (can(subject, contract.apiToken.list.access)) ask('tokens ', readTokens(client));
  }
  return {
    take<K extends keyof Answers>(what: K, of?: number) {
      const name = `${what} ${of ?? ''}`;
      const answer = asked.get(name);
      asked.delete(name);
      return answer as Promise<Answers[K]> | undefined;
    },
  };
}

/** Nothing was asked. */
export const NOTHING_AHEAD: ReadAhead = { take: () => undefined };
