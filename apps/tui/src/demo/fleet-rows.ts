// Demo rows: outages, rules for bad kernels, enrollment tokens and operations.
import type { Enrollment, KernelRule, Operation, Outage } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { createBuilders } from '@quarterdeck/sdk/testing';
import { isInOutage, OUTAGE_AGO_S } from './agents.ts';

const DAY_S = 86_400;

/** Creates outages: an open one and an ended one. */
export function makeOutages(agents: readonly Agent[], nowS: number): Outage[] {
  const lost = agents.filter(isInOutage);
  const sin = agents.filter(({ hostname }) => hostname.includes('-sin-'));
  return [
    {
      id: 2,
      started: nowS - OUTAGE_AGO_S,
      ended: null,
      lost: lost.length,
      returned: 0,
      sample: lost.slice(0, 5).map(({ id, hostname }) => ({ id, hostname })),
    },
    {
      id: 1,
      started: nowS - 3 * DAY_S - 900,
      ended: nowS - 3 * DAY_S,
      lost: sin.length,
      returned: sin.length,
      sample: [],
    },
  ];
}

/** Creates rules for bad kernels. */
export const makeKernelRules = (nowS: number): KernelRule[] => [
  {
    id: 2,
    pattern: '5.14.0-427.el9.*',
    reason: 'loses writes on NVMe under memory pressure',
    agents: 6,
    created: nowS - 12 * DAY_S,
    created_by: 'on-call',
  },
  {
    id: 1,
    pattern: '6.1.0-1?-*',
    reason: 'TCP zero window stalls, fixed in 6.1.0-20',
    agents: 0,
    created: nowS - 140 * DAY_S,
    created_by: 'admin',
  },
];

/** Creates enrollment tokens. */
export function makeEnrollments(nowS: number): Enrollment[] {
  const { enrollment } = createBuilders();
  const token = (id: number, given: Partial<Enrollment>): Enrollment =>
    enrollment({ id, token_tail: `k${id}Zq`, ...given });
  return [
    token(4, {
      name: 'new racks in Singapore',
      expire: (nowS + 3 * DAY_S) * 1000,
      uses: 24,
      used: 7,
      labels: { site: 'sin', rack: 'b12' },
      created: nowS - 4 * DAY_S,
      last_used: nowS - 190,
    }),
    token(3, {
      name: 'images of the build farm',
      used: 6,
      labels: { tier: 'back' },
      created: nowS - 41 * DAY_S,
      last_used: nowS - 9 * DAY_S,
    }),
    token(2, {
      name: 'gateways',
      uses: 4,
      used: 4,
      state: 'used_up',
      created: nowS - 62 * DAY_S,
      last_used: nowS - 60 * DAY_S,
    }),
    token(1, {
      name: 'first hosts',
      expire: (nowS - 80 * DAY_S) * 1000,
      used: 51,
      state: 'expired',
      created: nowS - 94 * DAY_S,
      last_used: nowS - 90 * DAY_S,
      created_by: 'night-shift',
    }),
  ];
}

/** Creates operations in every state. */
export function makeOperations(agents: readonly Agent[], nowS: number): Operation[] {
  const { operation } = createBuilders();
  const of = (hostname: string): Agent | undefined => agents.find((agent) => agent.hostname === hostname);
  const rows: readonly (readonly [host: string, over: Partial<Operation>])[] = [
    [
      'edge-fra-3',
      { kind: 'upgrade', params: { version: '1.31.5' }, state: 'running', progress: 62, detail: 'hook: unpacking' },
    ],
    [
      'edge-fra-4',
      { kind: 'upgrade', params: { version: '1.31.5' }, state: 'running', progress: 15, detail: 'hook: fetching' },
    ],
    ['edge-fra-5', { kind: 'upgrade', params: { version: '1.31.5' }, state: 'delivered' }],
    ['edge-fra-6', { kind: 'upgrade', params: { version: '1.31.5' }, state: 'queued' }],
    ['gateway-iad-1', { state: 'succeeded', progress: 100, detail: '41 facts, 2 changed' }],
    ['db-fra-1', { kind: 'restart_tailer', state: 'succeeded', progress: 100, detail: '4 files reopened' }],
    ['api-iad-3', { state: 'expired', detail: 'The agent did not start it in time.' }],
    [
      'build-iad-2',
      {
        kind: 'upgrade',
        params: { version: '20417' },
        state: 'failed',
        progress: 35,
        detail: 'hook exited with code 100',
      },
    ],
    ['build-fra-2', { kind: 'restart_tailer', state: 'cancelled', detail: 'Cancelled by on-call.' }],
  ];
  return rows.flatMap(([host, over], index): Operation[] => {
    const agent = of(host);
    const at = nowS - 40 - index * (index > 3 ? 2_400 : 25);
    return agent === undefined
      ? []
      : [
          operation({
            id: rows.length - index,
            agent_id: agent.id,
            hostname: host,
            created: at,
            modified: at + 20,
            deadline: index <= 3 ? nowS + 1_500 : 0,
            created_by: index > 4 ? 'on-call' : 'admin',
            ...over,
          }),
        ];
  });
}
