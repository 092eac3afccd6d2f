// Does the same work in the plain way: Prisma alone, in this process, without HTTP. Each incoming line is a row, and a
// page is `findMany` with `count`.
import { built } from './built.ts';
import { BATCH_LINES, groupLevel, groupText } from './lines.ts';
import { quantile } from './load.ts';
import { newFolder } from './processes.ts';
import { count, ms } from './report.ts';

const { openDatabase } = await built('packages/core/dist/db/open/index.js');

const READS = 5;
const WRITES = 200;

/** Milliseconds of one call, the median of several. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < READS; i += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return quantile(times, 0.5);
}

/** Measures it on the folder of a stopped server. */
export async function benchPlain(dataDir: string): Promise<void> {
  console.log('  the plain way (Prisma alone, no HTTP):');
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  const newest = [{ logTime: 'desc' as const }, { id: 'desc' as const }];
  const page = async (skip: number, where: object = {}) => {
    await db.read.prisma.errlog.findMany({ where, orderBy: newest, take: 20, skip });
    await db.read.prisma.errlog.count({ where });
  };
  const groups = await db.read.prisma.errlog.count();
  const last = Math.min(groups - 20, 200_000);
  for (const [name, work] of [
    ['page 1', () => page(0)],
    [`page ${last / 20}`, () => page(last)],
    ['level 4', () => page(0, { level: 4 })],
    ['search (contains)', () => page(0, { log: { contains: 'segmentation fault' } })],
  ] as const) {
    console.log(`    ${name.padEnd(30)}${ms(await time(work)).padStart(9)} each`);
  }
  await db.close();
  await plainIntake();
}

/** Inserts one row per line, with a commit per batch. */
async function plainIntake(): Promise<void> {
  const dataDir = newFolder();
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  const startedAt = performance.now();
  for (let write = 0; write < WRITES; write += 1) {
    const data = Array.from({ length: BATCH_LINES }, (_, i) => {
      const n = write * BATCH_LINES + i;
      const time = BigInt(Math.floor(Date.now() / 1000));
      return {
        src: 0,
        nodeType: 0,
        appId: 0,
        level: groupLevel(n),
        fingerprint: String(n),
        log: groupText(n),
        count: 1n,
        firstSeen: time,
        logTime: time,
      };
    });
    await db.write((tx: typeof db.read) => tx.prisma.errlog.createMany({ data }));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `    intake (createMany of ${BATCH_LINES})       ${count((WRITES * BATCH_LINES) / seconds).padStart(9)} durable lines/s`,
  );
  await db.close();
}
