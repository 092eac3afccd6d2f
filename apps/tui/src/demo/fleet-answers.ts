// Demo: enrollment tokens, rules for bad kernels, outages.
import { type KernelRule, matchesKernel } from '@quarterdeck/core';
import { createBuilders, type Fake, refusal } from '@quarterdeck/sdk/testing';
import type { Fleet } from './fleet-state.ts';
import { add, nextId, remove } from './rows.ts';

/** A fake secret. */
const SECRET = `qd_e_${'DemoOnly'.repeat(6)}1`;

/** Marks agents by the current rules. */
function mark(fleet: Fleet): void {
  const ruleOf = (kernel: string): KernelRule | undefined =>
    fleet.kernelRules.find(({ pattern }) => matchesKernel(pattern, kernel));
  fleet.agents = fleet.agents.map((agent) => {
    const rule = ruleOf(agent.system_version.kernel);
    return { ...agent, bad_kernel: rule !== undefined, bad_kernel_reason: rule?.reason ?? '' };
  });
}

/** Answers for enrollment tokens, rules for bad kernels, and outages. */
export function answerFleet({ on }: Fake, fleet: Fleet, now: () => number): void {
  on('enrollment.list', () => fleet.enrollments);
  on('enrollment.create', ({ body: { name, expire, uses, labels } }) => {
    const given = { id: nextId(fleet.enrollments), name, expire: expire ?? 0, uses, labels };
    const token = createBuilders({ now: now() }).enrollment(given);
    return { ...add(fleet, 'enrollments', token), token: SECRET };
  });
  on('enrollment.remove', (call) => void remove(fleet, 'enrollments', call));

  const agentsOf = (pattern: string): number =>
    fleet.agents.filter(({ system_version: { kernel } }) => matchesKernel(pattern, kernel)).length;
  on('kernelRule.list', () => fleet.kernelRules.map((rule) => ({ ...rule, agents: agentsOf(rule.pattern) })));
  on('kernelRule.create', ({ body: { pattern, reason } }) => {
    if (fleet.kernelRules.some((rule) => rule.pattern === pattern)) throw refusal('conflict');
    const given = { id: nextId(fleet.kernelRules), pattern, reason, agents: agentsOf(pattern) };
    const rule = add(fleet, 'kernelRules', createBuilders({ now: now() }).kernelRule(given));
    mark(fleet);
    return rule;
  });
  on('kernelRule.remove', (call) => {
    remove(fleet, 'kernelRules', call);
    mark(fleet);
  });
  on('outage.list', () => fleet.outages);
}
