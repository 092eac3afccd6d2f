// Quotas of lines that a source may send in a minute.
import type { ErrlogLine } from '@quarterdeck/core';
import type { SentLine } from '@quarterdeck/store';
import { describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../../test/errlog-calls.ts';
import { useApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';
import { BatchWriter } from './batch-writer.ts';

/** One line in ten seconds: the time that the test itself takes fills up next to nothing. */
const PER_MINUTE = 6;

const api = useApi({ SOURCE_QUOTA: String(PER_MINUTE) });

const { countOf, send: post } = errlogCalls(() => api);

let nodes = 0;
/** A source that nobody has sent for. */
const newNode = () => {
  nodes += 1;
  return nodes;
};

const linesOf = (node_id: number, n: number): ErrlogLine[] =>
  Array.from({ length: n }, () => ({ level: 4, log: word(), node_type: 1, node_id, app_id: node_id }));

async function send(lines: readonly ErrlogLine[]) {
  const { status, headers, body } = await post(lines);
  return { status, code: body.err?.code, retryAfter: headers.get('retry-after') };
}

const ACCEPTED = { status: 200, code: undefined, retryAfter: null };
const REFUSED = { status: 429, code: 'quota_exceeded' };

describe('QUARTERDECK_SOURCE_QUOTA', () => {
  it('takes a batch that is larger than what is left, and refuses the next until it is made up for', async () => {
    const node = newNode();
    expect(await send(linesOf(node, PER_MINUTE + 30))).toEqual(ACCEPTED);
    const refused = await send(linesOf(node, 1));
    expect(refused).toMatchObject(REFUSED);
    // 31 lines are to come in before there is one again.
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(310);
    expect(Number(refused.retryAfter)).toBeGreaterThan(280);
    api.advance(270_000);
    expect(await send(linesOf(node, 1))).toMatchObject(REFUSED);
    api.advance(40_000);
    expect(await send(linesOf(node, 1))).toEqual(ACCEPTED);
    expect(await countOf(node)).toBe(PER_MINUTE + 31);
  });

  it('saves up no more than one minute', async () => {
    const node = newNode();
    await send(linesOf(node, 1));
    api.advance(3_600_000);
    expect(await send(linesOf(node, PER_MINUTE + 5))).toEqual(ACCEPTED);
    expect(await send(linesOf(node, 1))).toMatchObject(REFUSED);
  });

  it('takes nothing for a batch that it refuses, of none of its sources', async () => {
    const [full, other] = [newNode(), newNode()];
    await send(linesOf(full, PER_MINUTE + 10));
    await send(linesOf(other, PER_MINUTE - 2));
    const both = [...linesOf(other, 2), ...linesOf(full, 40)];
    const waits: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const refused = await send(both);
      expect(refused).toMatchObject(REFUSED);
      waits.push(Number(refused.retryAfter));
    }
    expect(waits.toSorted((a, b) => b - a)).toEqual(waits);
    expect(await countOf(other)).toBe(PER_MINUTE - 2);
    // Two are left, so one more batch is taken.
    expect(await send(linesOf(other, 5))).toEqual(ACCEPTED);
    expect(await send(linesOf(other, 1))).toMatchObject(REFUSED);
  });

  it('takes lines once of a batch that is stored at the second attempt', async () => {
    const { db } = api.server.deps;
    const nowMs = api.now();
    const writer = new BatchWriter({ dialect: db.dialect, sourceQuota: PER_MINUTE, newGroupsPerMinute: 1_000 });
    const sender = { nodeType: 1, nodeId: newNode(), name: 'api', address: '' };
    const batchOf = (id: number, n: number) => {
      const line = (): SentLine['line'] => ({ level: 4, log: word(), logTime: 1, appId: 0, reqId: '', count: 1 });
      const lines = Array.from({ length: n }, () => ({ line: line(), sender }));
      return { id, incoming: { lines }, nowMs, receipt: undefined };
    };
    let attempts = 0;
    writer.take(batchOf(1, 3));
    writer.take(batchOf(2, 2));
    const { outcomes } = await writer.write((work) =>
      db.write(async (tx) => {
        attempts += 1;
        const done = await work(tx);
        if (attempts === 1) throw new Error('the first attempt is rolled back');
        return done;
      }),
    );
    expect([attempts, outcomes.map((outcome) => 'answer' in outcome)]).toEqual([3, [true, true]]);
    // One is left.
    writer.take(batchOf(3, 1));
    writer.take(batchOf(4, 1));
    const last = await writer.write((work) => db.write(work));
    expect(last.outcomes.map((outcome) => 'answer' in outcome)).toEqual([true, false]);
  });
});
