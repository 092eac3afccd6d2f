// Answers of the demo to every request of the dashboard.
import type { Fake } from '@quarterdeck/sdk/testing';
import { answerAccount } from './account-answers.ts';
import { answerAgents } from './agent-answers.ts';
import { answerAlertInstances, answerAlerts } from './alert-answers.ts';
import { answerChanges } from './change-answers.ts';
import { answerErrlog } from './errlog-answers.ts';
import { answerFleet } from './fleet-answers.ts';
import type { Fleet } from './fleet-state.ts';
import { answerGrouping } from './grouping-answers.ts';
import { answerLines } from './line-answers.ts';

/** Answers from a fleet, which requests change. */
export function answerFrom(fleet: Fleet, fake: Fake, now: () => number): void {
  for (const answer of [
    answerErrlog,
    answerGrouping,
    answerLines,
    answerChanges,
    answerAgents,
    answerFleet,
    answerAccount,
    answerAlerts,
    answerAlertInstances,
  ])
    answer(fake, fleet, now);
}
