// Patterns of bad kernels: whoever changes them has all agents judged anew.
import { AppError, type contract, KERNEL_RULES_MAX, type Service, sliceOf } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { holdRules } from './bad-kernels.ts';
import { countRules, createRule, listRules, removeRule, toRules } from './kernel-rule.repo.ts';
import { demandReview, reviewKernels } from './kernel-rule.review.ts';

/** The service, and what the jobs need of it. */
export interface KernelRuleService extends Service<(typeof contract)['kernelRule'], CallContext> {
  /** Finishes a review that somebody began. */
  review(stopped: () => boolean): Promise<void>;
}

export function kernelRuleService(deps: Deps): KernelRuleService {
  const { db, audit, log, now } = deps;

  /** Judges the agents before the answer. The change itself is made by then: what fails here is for the job. */
  async function review(): Promise<void> {
    try {
      await reviewKernels(deps);
    } catch (error) {
      log.warn({ err: error }, 'the kernels of agents could not be judged');
    }
  }

  return {
    list: ({ query }) => listRules(db.read.sql, checkWindow(sliceOf(query))),

    async create({ body, actor, request }) {
      const row = await db.write(async (tx) => {
        await holdRules(tx);
        if ((await countRules(tx.sql)) >= KERNEL_RULES_MAX) {
          throw new AppError('conflict', { message: `There are ${KERNEL_RULES_MAX} patterns, which is the most.` });
        }
        const made = await createRule(tx, body, actor.username, now());
        if (made === undefined) throw new AppError('conflict', { message: 'There is such a pattern already.' });
        await demandReview(tx);
        await audit.record(tx, {
          ...{ action: 'kernel_rule.create', actor, request, target: { kind: 'kernel_rule', id: made.id } },
          detail: { after: body },
        });
        return made;
      });
      await review();
      const [rule] = await toRules(db.read.sql, [row]);
      if (rule === undefined) throw new AppError('not_found');
      return rule;
    },

    async remove({ params: { id }, actor, request }) {
      await db.write(async (tx) => {
        await holdRules(tx);
        const removed = await removeRule(tx, id);
        if (removed === undefined) throw new AppError('not_found');
        await demandReview(tx);
        await audit.record(tx, {
          ...{ action: 'kernel_rule.delete', actor, request, target: { kind: 'kernel_rule', id } },
          detail: { before: { pattern: removed.pattern, reason: removed.reason } },
        });
      });
      await review();
      return undefined;
    },

    review: (stopped) => reviewKernels(deps, stopped),
  };
}
