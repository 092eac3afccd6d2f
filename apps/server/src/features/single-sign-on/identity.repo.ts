// Queries about people of providers, and their sign-ins there.
import type { Identity } from '@quarterdeck/core';
import type { Identity as IdentityRow, SsoSession, Tx } from '@quarterdeck/core/db';

export type { IdentityRow };

/** Converts a person to the wire. */
export const toIdentity = ({ id, issuer, subject, createdMs, lastUsedMs }: IdentityRow): Identity => ({
  id,
  issuer,
  subject,
  created: Number(createdMs) / 1000,
  last_used: Number(lastUsedMs) === 0 ? null : Number(lastUsedMs) / 1000,
});

/** Finds the person of an issuer; undefined where nobody here is linked to them. */
export async function findIdentity({ prisma }: Tx, issuer: string, subject: string): Promise<IdentityRow | undefined> {
  return (await prisma.identity.findUnique({ where: { issuer_subject: { issuer, subject } } })) ?? undefined;
}

/** Lists the people who sign in as a user, in the order of their links. */
export const listIdentities = ({ prisma }: Tx, userId: number): Promise<IdentityRow[]> =>
  prisma.identity.findMany({ where: { userId }, orderBy: { id: 'asc' } });

/** Links a person to a user. */
export const createIdentity = (
  { prisma }: Tx,
  link: Pick<IdentityRow, 'userId' | 'issuer' | 'subject'>,
  nowMs: number,
): Promise<IdentityRow> => prisma.identity.create({ data: { ...link, createdMs: nowMs } });

/** Ends a link, with the sessions that it opened; returns it, or null where there is none. */
export async function removeIdentity({ prisma }: Tx, userId: number, id: number): Promise<IdentityRow | null> {
  const found = await prisma.identity.findFirst({ where: { id, userId } });
  if (found !== null) await prisma.identity.deleteMany({ where: { id } });
  return found;
}

/** Notes a sign-in of a person. */
export async function noteSignIn({ prisma }: Tx, id: number, nowMs: number): Promise<void> {
  await prisma.identity.updateMany({ where: { id }, data: { lastUsedMs: nowMs } });
}

/** A sign-in at a provider to be stored. */
export type NewSignIn = Pick<SsoSession, 'identityId' | 'provider' | 'sid' | 'refreshToken' | 'accessToken'> & {
  readonly dueMs: number;
};

/** Stores a sign-in at a provider; returns its id. */
export async function createSignIn({ prisma }: Tx, signIn: NewSignIn, nowMs: number): Promise<number> {
  return (await prisma.ssoSession.create({ data: { ...signIn, createdMs: nowMs }, select: { id: true } })).id;
}

/** A sign-in at a provider, with its person. */
export type SignInRow = NonNullable<Awaited<ReturnType<typeof findSignIn>>>;

/** Finds a sign-in at a provider; undefined where it has ended. */
export async function findSignIn({ prisma }: Tx, id: number) {
  return (await prisma.ssoSession.findUnique({ where: { id }, include: { identity: true } })) ?? undefined;
}

/** Makes the caller the only one who asks the provider about a sign-in; false where another server does so now. */
export async function claimSignIn({ prisma }: Tx, id: number, nowMs: number, beforeMs: number): Promise<boolean> {
  const where = { id, askedMs: { lte: beforeMs } };
  return (await prisma.ssoSession.updateMany({ where, data: { askedMs: nowMs } })).count === 1;
}

/** Stores that a provider has confirmed a sign-in. */
export async function renewSignIn(
  { prisma }: Tx,
  id: number,
  data: { readonly dueMs: number; readonly refreshToken?: Uint8Array<ArrayBuffer> },
): Promise<void> {
  await prisma.ssoSession.updateMany({ where: { id }, data: { ...data, askedMs: 0 } });
}

/** Ends sign-ins at a provider with all sessions behind them; returns the users and the number of sign-ins. */
export async function endSignIns(
  { prisma }: Tx,
  which:
    | { readonly id: number }
    | {
        readonly issuer: string;
        readonly provider: string;
        readonly sid?: string | undefined;
        readonly subject?: string | undefined;
      },
): Promise<{ readonly userIds: readonly number[]; readonly count: number }> {
  const where =
    'id' in which
      ? { id: which.id }
      : {
          provider: which.provider,
          ...(which.sid === undefined ? {} : { sid: which.sid }),
          identity: { issuer: which.issuer, ...(which.subject === undefined ? {} : { subject: which.subject }) },
        };
  const found = await prisma.ssoSession.findMany({
    where,
    select: { id: true, identity: { select: { userId: true } } },
  });
  await prisma.ssoSession.deleteMany({ where: { id: { in: found.map(({ id }) => id) } } });
  return { userIds: [...new Set(found.map(({ identity }) => identity.userId))], count: found.length };
}

/** Deletes up to `limit` sign-ins from before a time that no session is behind any more; returns how many. */
export async function removeOrphanSignIns({ prisma }: Tx, beforeMs: number, limit: number): Promise<number> {
  return (await prisma.ssoSession.deleteMany({ where: { createdMs: { lt: beforeMs }, sessions: { none: {} } }, limit }))
    .count;
}
