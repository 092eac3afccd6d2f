// Queries about terminals that wait for the confirmation of their codes.
import type { DeviceCode, Session, Tx, User } from '@quarterdeck/core/db';

export type { DeviceCode };

/** State of a terminal. */
export type DeviceState = 'waiting' | 'approved' | 'denied';

/** Counts the terminals that can still be confirmed: of a network, or all. */
export const countDevices = ({ prisma }: Tx, nowMs: number, network?: string): Promise<number> =>
  prisma.deviceCode.count({ where: { expireMs: { gt: nowMs }, ...(network === undefined ? {} : { network }) } });

/** A terminal to be stored. */
export type NewDevice = Omit<
  DeviceCode,
  'id' | 'askedMs' | 'state' | 'sessionId' | 'createdMs' | 'expireMs' | 'deviceHash' | 'userHash'
> & {
  readonly deviceHash: Uint8Array<ArrayBuffer>;
  readonly userHash: Uint8Array<ArrayBuffer>;
  readonly createdMs: number;
  readonly expireMs: number;
};

/** Stores a terminal. */
export async function createDevice({ prisma }: Tx, device: NewDevice): Promise<void> {
  await prisma.deviceCode.create({ data: device });
}

/** Finds the terminal that waits with a user code; null where none does. */
export const findWaiting = (
  { prisma }: Tx,
  hashes: readonly Uint8Array<ArrayBuffer>[],
  nowMs: number,
): Promise<DeviceCode | null> =>
  prisma.deviceCode.findFirst({
    where: { userHash: { in: [...hashes] }, state: 'waiting', expireMs: { gt: nowMs } },
  });

/** A terminal, and the session that approved it. */
type ApprovedDevice = DeviceCode & { readonly session: (Session & { readonly user: User }) | null };

/** Finds the terminal of a device code, with the session that approved it; null where there is none. */
export const findDevice = (
  { prisma }: Tx,
  hashes: readonly Uint8Array<ArrayBuffer>[],
): Promise<ApprovedDevice | null> =>
  prisma.deviceCode.findFirst({
    where: { deviceHash: { in: [...hashes] } },
    include: { session: { include: { user: true } } },
  });

/** Notes a request of a terminal for its session. */
export async function noteAsked({ prisma }: Tx, id: number, nowMs: number): Promise<void> {
  await prisma.deviceCode.updateMany({ where: { id }, data: { askedMs: nowMs } });
}

/** Stores the decision of a person; false where somebody else was faster. */
export async function decideDevice(
  { prisma }: Tx,
  id: number,
  state: Exclude<DeviceState, 'waiting'>,
  sessionId: number,
): Promise<boolean> {
  return (
    (await prisma.deviceCode.updateMany({ where: { id, state: 'waiting' }, data: { state, sessionId } })).count === 1
  );
}

/** Deletes a terminal; false where it is gone: of two requests for a session, one gets it. */
export async function removeDevice({ prisma }: Tx, id: number): Promise<boolean> {
  return (await prisma.deviceCode.deleteMany({ where: { id } })).count === 1;
}

/** Deletes up to `limit` terminals whose codes had expired before a time; returns how many. */
export async function removeOldDevices({ prisma }: Tx, beforeMs: number, limit: number): Promise<number> {
  return (await prisma.deviceCode.deleteMany({ where: { expireMs: { lte: beforeMs } }, limit })).count;
}
