import { AGENT_STATES, onlineWithinMs } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { useSteadyApi } from '../../../test/steady-api.ts';
import {
  CLONED_FOR_MS,
  INACTIVE_AFTER_MS,
  isCloned,
  isOnline,
  type StatusRow,
  statusOf,
} from './records/agent.status.ts';
import { ONLINE_SQL, STATE_SQL, stateParams } from './records/agent-status.repo.ts';

const NOW_MS = 1_800_000_000_000;
const INTERVAL_S = 30;
const WITHIN_MS = onlineWithinMs(INTERVAL_S);
const LONG_AGO_MS = NOW_MS - 100 * 86_400_000;

const row = (more: Partial<StatusRow>): StatusRow => ({
  isDeleted: 0,
  deletedMs: 0,
  state: 'online',
  reason: 'reporting',
  stateSinceMs: LONG_AGO_MS,
  lastReportedMs: NOW_MS,
  intervalS: INTERVAL_S,
  ...more,
});
const moment = (sinceMs = LONG_AGO_MS) => ({ nowMs: NOW_MS, sinceMs });

describe('the status of an agent', () => {
  it('is online for exactly the time of the contract, also after a report from the future', () => {
    for (const ageMs of [0, WITHIN_MS, -1, -86_400_000]) {
      expect(statusOf(row({ lastReportedMs: NOW_MS - ageMs }), moment())).toEqual({
        state: 'online',
        reason: 'reporting',
        sinceMs: LONG_AGO_MS,
      });
    }
    expect(statusOf(row({ lastReportedMs: NOW_MS - WITHIN_MS - 1 }), moment())).toEqual({
      state: 'offline',
      reason: 'lost',
      sinceMs: NOW_MS - 1,
    });
  });

  it('is pending after an absence of the server, until a report is due', () => {
    const silent = row({ lastReportedMs: NOW_MS - 86_400_000 });
    for (const sinceMs of [NOW_MS, NOW_MS - WITHIN_MS]) {
      expect(statusOf(silent, moment(sinceMs))).toEqual({ state: 'pending', reason: 'server_restarted', sinceMs });
    }
    const late = statusOf(silent, moment(NOW_MS - WITHIN_MS - 1));
    expect(late).toEqual({ state: 'offline', reason: 'lost', sinceMs: NOW_MS - 1 });
  });

  it('is never_reported if no report followed the registration', () => {
    const registered = row({ state: 'pending', reason: 'registered' });
    expect(statusOf(registered, moment()).reason).toBe('registered');
    const silent = { ...registered, lastReportedMs: NOW_MS - WITHIN_MS - 1 };
    expect(statusOf(silent, moment())).toMatchObject({ state: 'offline', reason: 'never_reported' });
    expect(statusOf(silent, moment(NOW_MS))).toMatchObject({ state: 'pending', reason: 'registered' });
  });

  it('is inactive after two weeks, and keeps its reason', () => {
    const away = row({ state: 'offline', reason: 'shut_down', lastReportedMs: 0 });
    expect(statusOf({ ...away, stateSinceMs: NOW_MS - INACTIVE_AFTER_MS + 1 }, moment()).state).toBe('offline');
    expect(statusOf({ ...away, stateSinceMs: NOW_MS - INACTIVE_AFTER_MS }, moment())).toEqual({
      state: 'inactive',
      reason: 'shut_down',
      sinceMs: NOW_MS,
    });
  });

  it('is deleted in any other state', () => {
    expect(statusOf(row({ isDeleted: 1, deletedMs: 5 }), moment())).toEqual({
      state: 'deleted',
      reason: 'deleted',
      sinceMs: 5,
    });
  });

  it('counts a clone for an hour', () => {
    expect([0, NOW_MS - CLONED_FOR_MS, NOW_MS - CLONED_FOR_MS + 1].map((ms) => isCloned(ms, NOW_MS))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('the status in SQL', () => {
  const api = useSteadyApi();

  it('equals the status of every kind of row', async () => {
    const { db } = api.server.deps;
    const ages = [0, WITHIN_MS, WITHIN_MS + 1, INACTIVE_AFTER_MS - 1, INACTIVE_AFTER_MS, -5_000];
    const rows = [...AGENT_STATES].flatMap((state) =>
      ages.flatMap((reported) =>
        ages.flatMap((since) =>
          [INTERVAL_S, 300].map((intervalS) => ({
            state,
            reason: 'reporting',
            isDeleted: Number(state === 'deleted'),
            deletedMs: state === 'deleted' ? NOW_MS : 0,
            lastReportedMs: NOW_MS - reported,
            stateSinceMs: NOW_MS - since,
            intervalS,
          })),
        ),
      ),
    );
    await db.write((tx) =>
      tx.prisma.agent.createMany({
        data: rows.map((values, i) => ({
          ...values,
          isDeleted: values.isDeleted === 1,
          nodeId: `state ${i}`,
          hostname: 'h',
          secretHash: new Uint8Array(Buffer.from(`state ${i}`)),
          createdMs: 1n,
          modifiedMs: 1n,
        })),
      }),
    );
    const query = statement(`SELECT node_id, ${STATE_SQL} AS state, ${ONLINE_SQL} AS online FROM agent`);
    for (const sinceMs of [NOW_MS, NOW_MS - WITHIN_MS, NOW_MS - WITHIN_MS - 1, LONG_AGO_MS]) {
      const at = { nowMs: NOW_MS, sinceMs };
      const found = await db.read.sql.all<{ node_id: string; state: string; online: number }>(
        query,
        ...stateParams(at),
        NOW_MS,
      );
      expect(found).toHaveLength(rows.length);
      for (const { node_id, state, online } of found) {
        const stored = rows[Number(node_id.slice('state '.length))];
        if (stored === undefined) throw new Error('not one of these rows');
        const expected = statusOf(stored, at);
        expect([state, online === 1], JSON.stringify(stored)).toEqual([expected.state, isOnline(stored, at)]);
      }
    }
  });
});
