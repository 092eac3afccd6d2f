// Rules of the night. Without a cooldown, a cause that is notified twice is not hidden.
import type { Client } from '../../../packages/sdk/src/index.ts';
import { untilAnswered } from './calls.ts';
import type { World } from './world.ts';

type Draft = Parameters<Client['alert']['create']>[0]['body'];

/** Seconds of the real clock in which the rules about counts look back, at least a minute of the fast one. */
const WITHIN_S = 10;
/** Name of the rule that must be off before the senders stop. */
export const SILENCE = 'silence';

const draftsOf = (within: number): readonly Draft[] => [
  { name: 'new', when: { kind: 'errlog.new' }, filter: 'service:fresh*' },
  { name: 'regressed', when: { kind: 'errlog.regressed' } },
  { name: 'count', when: { kind: 'errlog.count', count: 200, within, per: 'service' }, filter: 'service:pay*' },
  { name: 'muted', when: { kind: 'errlog.count', count: 200, within, per: 'group' }, filter: 'service:muted' },
  { name: 'spike', when: { kind: 'errlog.spike', count: 500, within: 300, per: 'service' }, filter: 'service:web' },
  { name: SILENCE, when: { kind: 'silence', within: 900, per: 'service' }, filter: 'service:quiet' },
  { name: 'offline', when: { kind: 'agent.offline' } },
  { name: 'back', when: { kind: 'agent.back' } },
  { name: 'outage', when: { kind: 'agent.outage' } },
  { name: 'operation', when: { kind: 'operation.failed' } },
  { name: 'certificate', when: { kind: 'certificate.expiring' } },
  { name: 'resource', when: { kind: 'host.resource', resource: 'disk' } },
  { name: 'expiring', when: { kind: 'token.expiring' } },
  { name: 'reused', when: { kind: 'token.reused' } },
  { name: 'signin', when: { kind: 'signin.failed', count: 10, within: Math.max(600, 2 * within) } },
  { name: 'audit', when: { kind: 'audit.broken' } },
  { name: 'health', when: { kind: 'server.health' } },
];

/** Rules whose alerts end when their error has not happened for a while. */
export const LASTING_RULES: readonly string[] = ['new', 'regressed'];

/** Creates the rules; returns their ids by name. */
export async function createRules({ admin, speed, channels }: World): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const draft of draftsOf(Math.max(60, WITHIN_S * speed))) {
    const body = { cooldown: 0, channels: [...channels], ...draft };
    ids.set(draft.name, (await untilAnswered(admin, (client) => client.alert.create({ body }))).id);
  }
  return ids;
}
