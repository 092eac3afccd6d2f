// Servers for the tests of one file.
import { startApi, type TestApi, useServer } from './start-api.ts';

type StartOptions = Parameters<typeof startApi>;

/** The last second of the year 9999, Unix milliseconds. */
const NEVER_MS = Date.UTC(10_000, 0) - 1_000;

/**
 * Starts a server whose clock the test alone moves. Its jobs run only when a test runs them, and the administrator's
 * session does not end. A busy machine does not count as a suspended process.
 */
export async function startSteadyApi(...[settings, options]: StartOptions): Promise<TestApi> {
  const api = await startApi(settings, { ...options, hasStillClock: true });
  await api.server.jobs.stop();
  const { db, listeningWindow } = api.server.deps;
  await db.write((tx) => tx.prisma.session.updateMany({ data: { expireMs: NEVER_MS } }));
  const { moment } = listeningWindow;
  const awake = () => {
    listeningWindow.kept();
    return moment();
  };
  Object.assign(listeningWindow, { moment: awake });
  return api;
}

/** Starts such a server before the tests of the file, and stops it after them. Returns that server, once it runs. */
export const useSteadyApi = (...options: StartOptions): TestApi => useServer(() => startSteadyApi(...options));

/** Deletes agents with their histories, operations and outages, and rules with their alerts. */
export const removeFleet = ({ server }: TestApi): Promise<void> =>
  server.deps.db.write(async ({ prisma }) => {
    await prisma.alertRule.deleteMany();
    await prisma.agent.deleteMany();
    await prisma.outage.deleteMany();
  });
