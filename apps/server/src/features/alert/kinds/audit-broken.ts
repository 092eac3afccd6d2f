// Rules of the kind `audit.broken`: the audit log was changed by other means than this server.

import { createAuditWatch } from '../../audit/audit.watch.ts';
import type { Cause, KindNeeds, LastingKind } from './kind.ts';

export function auditBroken(deps: Pick<KindNeeds, 'db' | 'key' | 'now'>): LastingKind {
  const watch = createAuditWatch(deps);

  /** Undefined before all entries were verified. */
  function causesAt(nowMs: number): Cause[] | undefined {
    const brokenAt = watch.verdict()?.broken_at;
    if (typeof brokenAt !== 'number') return brokenAt === null ? [] : undefined;
    return [
      {
        key: 'audit',
        title: `The audit log is broken at entry ${brokenAt}: it was changed by other means than this server`,
        detail: { broken_at: brokenAt },
        sinceMs: nowMs,
      },
    ];
  }

  return {
    ends: true,

    async active({ nowMs }) {
      await watch.run();
      const causes = causesAt(nowMs);
      return causes && { causes };
    },

    async replay({ nowMs, stopped }) {
      while (watch.verdict() === undefined && !stopped()) await watch.run();
      const causes = causesAt(nowMs);
      const episodes = (causes ?? []).map((cause) => ({ ...cause, untilMs: null }));
      return {
        episodes,
        whyIncomplete:
          causes === undefined
            ? 'The audit log takes too long to verify; its earlier states are not stored.'
            : 'Earlier states of the audit log are not stored; this is its present state.',
      };
    },
  };
}
