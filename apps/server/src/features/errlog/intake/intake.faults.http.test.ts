// An intake whose store fails or is slow, over the database of a real server.
import { DatabaseError } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../../test/errlog-calls.ts';
import { useApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';
import type { Deps } from '../../../compose/services.ts';
import { createIntake, type Intake } from './intake.ts';

const api = useApi();

const SENDER = { nodeType: 0, nodeId: -1, name: 'faults', address: '' };

const nothing = () => undefined;

/** An intake that waits for `before` in front of each write of a batch, and for `after` behind it. */
function intakeWith(
  before: () => Promise<void>,
  after: () => Promise<void> = () => Promise.resolve(),
  onUnknown: () => void = nothing,
): Intake {
  const { db } = api.server.deps;
  const around = async <T>(write: () => Promise<T>): Promise<T> => {
    await before();
    const written = await write();
    await after();
    return written;
  };
  const openThread: Deps['db']['openThread'] =
    db.openThread &&
    ((options) => {
      const thread = (db.openThread as NonNullable<typeof db.openThread>)(options);
      return { ...thread, write: () => around(() => thread.write()) } as never;
    });
  const faulty: Deps['db'] = {
    ...db,
    ...(openThread === undefined ? {} : { openThread }),
    write: (work, options) => around(() => db.write(work, options)),
  };
  return createIntake({ ...api.server.deps, db: faulty }, nothing, onUnknown);
}

const batchOf = (log: string, appId: number, n = 1) => ({
  lines: Array.from({ length: n }, () => ({
    line: { level: 4, log, logTime: 1, appId, reqId: '', count: 1 },
    sender: SENDER,
  })),
});

const { countOf } = errlogCalls(() => api);

describe('an intake', () => {
  it('stores nothing of a batch that it refused because it could not be written', async () => {
    let fails = true;
    const intake = intakeWith(() => (fails ? Promise.reject(new DatabaseError('full')) : Promise.resolve()));
    const log = word();
    await expect(intake.store(batchOf(log, 7_001))).rejects.toThrow(DatabaseError);
    fails = false;
    await intake.store(batchOf(log, 7_001));
    expect(await countOf(7_001)).toBe(1);
    await intake.close();
  });

  it('reports a write that failed after its commit, so that its new errors are announced', async () => {
    const lost = () => Promise.reject(new DatabaseError('unavailable'));
    let reports = 0;
    const intake = intakeWith(
      () => Promise.resolve(),
      lost,
      () => {
        reports += 1;
      },
    );
    await expect(intake.store(batchOf(word(), 7_003))).rejects.toThrow(DatabaseError);
    expect(await countOf(7_003)).toBe(1);
    expect(reports).toBe(1);
    await intake.close();
  });

  it('takes a bounded number of bytes before it asks senders to come again, and stores all that it took', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const intake = intakeWith(() => gate);
    const log = word().padEnd(16_000, 'x');
    // 1,000 lines of 16,330 bytes: two of them fit into 32 MB.
    const taken = [intake.store(batchOf(log, 7_002, 1_000)), intake.store(batchOf(log, 7_002, 1_000))];
    await expect(intake.store(batchOf(log, 7_002, 1_000))).rejects.toMatchObject({
      code: 'overloaded',
      retryAfterS: expect.toSatisfy((seconds: number) => seconds >= 1 && seconds <= 5),
    });
    expect(intake.stats()).toMatchObject({ inFlightBytes: 2 * 1_000 * 16_330, turnedAway: 1 });
    open();
    expect(await Promise.all(taken)).toMatchObject([{ accepted: 1_000 }, { accepted: 1_000 }]);
    expect(intake.stats()).toMatchObject({ inFlightBytes: 0, stored: 2_000 });
    expect(await countOf(7_002)).toBe(2_000);
    await expect(intake.store(batchOf(log, 7_002))).resolves.toBeDefined();
    await intake.close();
  });
});
