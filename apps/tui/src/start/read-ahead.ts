// Asks for the data of the first screen as soon as the user is known, while the modules that draw are still loading.
// No React here.
import { can, contract, type Subject } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { readFleet } from '@quarterdeck/views/agents';
import { listErrlog, NO_FILTER, PAGE_ROWS } from '@quarterdeck/views/errlog';
import type { Answers, ReadAhead } from '@quarterdeck/views/overview';
import { readErrors } from '@quarterdeck/views/overview';
import { readTokens } from '@quarterdeck/views/reads';
import type { Screen } from '../commands/navigation.ts';

/** The first screen. */
export interface First {
  readonly screen: Screen;
  readonly nowMs: number;
  /** Buckets of the overview's chart. */
  readonly buckets: number;
}

/** Asks for the data of the first screen, as far as this user may see it. */
export function readAhead(client: Client, subject: Subject, { screen, nowMs, buckets }: First): ReadAhead {
  const asked = new Map<string, Promise<unknown>>();
  const ask = (name: string, answer: Promise<unknown>): void => {
    // The screen that takes the answer handles its failure.
    answer.catch(() => undefined);
    asked.set(name, answer);
  };
  const maySeeErrors = can(subject, contract.errlog.list.access);
  if (screen === 'errlog' && maySeeErrors) {
    ask(`errlog ${PAGE_ROWS}`, listErrlog(client, NO_FILTER, { start: 0, end: PAGE_ROWS }));
  }
  if (screen === 'overview') {
    if (maySeeErrors) ask(`errors ${buckets}`, readErrors(client, nowMs, buckets, null));
    if (can(subject, contract.agent.list.access)) ask('fleet ', readFleet(client));
    if (can(subject, contract.apiToken.list.access)) ask('tokens ', readTokens(client));
  }
  return {
    take<K extends keyof Answers>(name: K, of?: number) {
      const key = `${name} ${of ?? ''}`;
      const answer = asked.get(key);
      asked.delete(key);
      return answer as Promise<Answers[K]> | undefined;
    },
  };
}
