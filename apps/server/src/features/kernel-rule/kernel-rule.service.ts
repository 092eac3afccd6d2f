// The service of rules for bad kernels. A change of the rules judges the kernels of all agents again.
import { AppError, type contract, KERNEL_RULES_MAX, type Service, sliceOf } from '@quarterdeck/core';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { reviewKernels } from './kernel-rule.review.ts';
import type { KernelRuleNeeds } from './needs.ts';
import {
  countRules,
  createRule,
  demandReview,
  listRules,
  lockRules,
  removeRule,
  toRules,
} from './verdict/kernel-rule.repo.ts';

/** The service of kernel rules. */
export interface KernelRuleService extends Service<(typeof contract)['kernelRule'], CallContext> {
  /** Finishes an interrupted review. */
  review(stopped: () => boolean): Promise<void>;
}

/** Makes the service of kernel rules. */
export function kernelRuleService(deps: KernelRuleNeeds): KernelRuleService {
  const { db, audit, log, now } = deps;

  /** Reviews the agents before the answer. The change is stored already: the job repeats a review that fails. */
  async function review(actor: string): Promise<void> {
    try {
      await reviewKernels(deps, { actor });
    } catch (error) {
      log.warn({ err: error }, 'reviewing the kernels of agents failed');
    }
  }

  return {
    list: ({ query }) => listRules(db.read, checkWindow(sliceOf(query))),

    async create({ body, actor, request }) {
      const row = await db.write(async (tx) => {
        await lockRules(tx);
        if ((await countRules(tx)) >= KERNEL_RULES_MAX) {
          throw new AppError('conflict', {
            message: `The limit of ${KERNEL_RULES_MAX} patterns is reached. Delete one first.`,
          });
        }
        const created = await createRule(tx, body, actor.username, now());
        if (created === undefined) throw new AppError('conflict', { message: 'The pattern already exists.' });
        await demandReview(tx);
        await audit.record(tx, {
          action: 'kernel_rule.create',
          actor,
          request,
          target: { kind: 'kernel_rule', id: created.id },
          detail: { after: body },
        });
        return created;
      });
      await review(actor.username);
      const [rule] = await toRules(db.read, [row]);
      if (rule === undefined) throw new AppError('not_found');
      return rule;
    },

    async remove({ params: { id }, actor, request }) {
      await db.write(async (tx) => {
        await lockRules(tx);
        const removed = found(await removeRule(tx, id));
        await demandReview(tx);
        await audit.record(tx, {
          action: 'kernel_rule.delete',
          actor,
          request,
          target: { kind: 'kernel_rule', id },
          detail: { before: { pattern: removed.pattern, reason: removed.reason } },
        });
      });
      await review(actor.username);
      return undefined;
    },

    review: (stopped) => reviewKernels(deps, { stopped }),
  };
}
