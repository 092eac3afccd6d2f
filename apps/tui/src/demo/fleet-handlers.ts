// Demo server: enrolment tokens, rules for bad kernels, outages.
import { type Enrollment, type KernelRule, matchesKernel } from '@quarterdeck/core';
import type { Fleet } from './fleet-state.ts';
import { type DemoHandlers, DemoRefusal } from './respond.ts';
import { byId, nextId, page, withoutRow } from './rows.ts';

/** A fake secret. */
const SECRET = `qd_e_${'DemoOnly'.repeat(6)}1`;

/** Creates the handlers of enrolment tokens. */
export const enrollmentHandlers = (fleet: Fleet, now: () => number): NonNullable<DemoHandlers['enrollment']> => ({
  list: ({ query }) => page(fleet.enrollments, query),
  create({ body }) {
    const { name, expire, uses, labels } = body as Pick<Enrollment, 'name' | 'uses' | 'labels'> & { expire?: number };
    const token: Enrollment = {
      id: nextId(fleet.enrollments),
      name,
      expire: expire ?? 0,
      uses,
      used: 0,
      labels,
      state: 'active',
      token_tail: SECRET.slice(-4),
      created: now() / 1000,
      created_by: 'admin',
      last_used: null,
    };
    fleet.enrollments = [token, ...fleet.enrollments];
    return { ...token, token: SECRET };
  },
  remove(call) {
    fleet.enrollments = withoutRow(fleet.enrollments, byId(fleet.enrollments, call).id);
  },
});

/** Marks agents by the current rules. */
function mark(fleet: Fleet): void {
  const ruleOf = (kernel: string): KernelRule | undefined =>
    fleet.kernelRules.find(({ pattern }) => matchesKernel(pattern, kernel));
  fleet.agents = fleet.agents.map((agent) => {
    const rule = ruleOf(agent.system_version.kernel);
    return { ...agent, bad_kernel: rule !== undefined, bad_kernel_reason: rule?.reason ?? '' };
  });
}

/** Creates the handlers of rules for bad kernels. */
export function kernelRuleHandlers(fleet: Fleet, now: () => number): NonNullable<DemoHandlers['kernelRule']> {
  const agentsOf = (pattern: string): number =>
    fleet.agents.filter(({ system_version: { kernel } }) => matchesKernel(pattern, kernel)).length;
  return {
    list: ({ query }) =>
      page(
        fleet.kernelRules.map((rule) => ({ ...rule, agents: agentsOf(rule.pattern) })),
        query,
      ),
    create({ body }) {
      const { pattern, reason } = body as Pick<KernelRule, 'pattern' | 'reason'>;
      if (fleet.kernelRules.some((rule) => rule.pattern === pattern)) throw new DemoRefusal('conflict');
      const rule: KernelRule = {
        id: nextId(fleet.kernelRules),
        pattern,
        reason,
        agents: agentsOf(pattern),
        created: now() / 1000,
        created_by: 'admin',
      };
      fleet.kernelRules = [rule, ...fleet.kernelRules];
      mark(fleet);
      return rule;
    },
    remove(call) {
      fleet.kernelRules = withoutRow(fleet.kernelRules, byId(fleet.kernelRules, call).id);
      mark(fleet);
    },
  };
}

/** Creates the handlers of outages. */
export const outageHandlers = (fleet: Fleet): NonNullable<DemoHandlers['outage']> => ({
  list: ({ query }) => page(fleet.outages, query),
});
