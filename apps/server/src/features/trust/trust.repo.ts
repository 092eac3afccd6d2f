// Queries about trust rules, and the id tokens that were exchanged.
import type { Slice, TrustRule } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { readScopes } from '../../auth/token-scopes.ts';

const OWNER = { user: { select: { username: true, role: true, disabled: true } } } as const;

/** A rule with its owner. */
export type RuleRow = NonNullable<Awaited<ReturnType<typeof findRule>>>;

/** Finds a rule; undefined where there is none. */
export async function findRule({ prisma }: Tx, id: number) {
  return (await prisma.trustRule.findUnique({ where: { id }, include: OWNER })) ?? undefined;
}

const blocksOf = (text: string): string[] => (text === '' ? [] : text.split(' '));

/** Converts a rule to the wire. */
export function toRule(row: RuleRow): TrustRule {
  const { id, name, issuer, audience, subject, scopes, allowedCidrs, user, createdMs, modifiedMs, lastUsedMs } = row;
  return {
    id,
    name,
    issuer,
    audience,
    subject,
    scopes: [...(readScopes(scopes) ?? [])],
    allowed_cidrs: blocksOf(allowedCidrs),
    created_by: user.username,
    created: Number(createdMs) / 1000,
    modified: Number(modifiedMs) / 1000,
    last_used: Number(lastUsedMs) === 0 ? null : Number(lastUsedMs) / 1000,
  };
}

/** Lists rules, newest first, and counts them. */
export async function listRules({ read }: Database, slice: Slice) {
  const count = await read.prisma.trustRule.count();
  const rows = await read.prisma.trustRule.findMany({
    include: OWNER,
    orderBy: [{ createdMs: 'desc' }, { id: 'desc' }],
    skip: slice.offset,
    take: slice.limit,
  });
  return { data: rows.map(toRule), meta: { count } };
}

/** Finds the rules of an issuer, the oldest first. */
export const findRulesOf = ({ prisma }: Tx, issuer: string): Promise<RuleRow[]> =>
  prisma.trustRule.findMany({ where: { issuer }, include: OWNER, orderBy: { id: 'asc' } });

/** The content of a rule. */
export interface RuleFields {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
  readonly scopes: string;
  readonly allowedCidrs: string;
}

/** Stores a rule. */
export const createRule = (
  { prisma }: Tx,
  rule: RuleFields & { readonly userId: number },
  nowMs: number,
): Promise<RuleRow> =>
  prisma.trustRule.create({ data: { ...rule, createdMs: nowMs, modifiedMs: nowMs }, include: OWNER });

/** Stores what a rule says now. */
export const updateRule = ({ prisma }: Tx, id: number, rule: RuleFields, nowMs: number): Promise<RuleRow> =>
  prisma.trustRule.update({ where: { id }, data: { ...rule, modifiedMs: nowMs }, include: OWNER });

/** Deletes a rule, with the tokens that it has given. */
export async function removeRule({ prisma }: Tx, id: number): Promise<void> {
  await prisma.trustRule.deleteMany({ where: { id } });
}

/** Tokens that a rule has given and that have not expired. */
export const tokensOfRule = (
  { prisma }: Tx,
  trustRuleId: number,
  nowMs: number,
): Promise<{ readonly id: number; readonly name: string; readonly userId: number }[]> =>
  prisma.apiToken.findMany({
    where: { trustRuleId, expireMs: { gt: nowMs } },
    select: { id: true, name: true, userId: true },
  });

/** Counts {@link tokensOfRule}. */
export const countTokensOfRule = ({ prisma }: Tx, trustRuleId: number, nowMs: number): Promise<number> =>
  prisma.apiToken.count({ where: { trustRuleId, expireMs: { gt: nowMs } } });

/** Deletes the tokens that a rule has given. */
export async function removeTokensOfRule({ prisma }: Tx, trustRuleId: number): Promise<void> {
  await prisma.apiToken.deleteMany({ where: { trustRuleId } });
}

/** Notes an exchange of an id token, and the use of its rule. Rejects with a unique violation for a second one. */
export async function noteExchange(
  { prisma }: Tx,
  ruleId: number,
  token: { readonly digest: string; readonly expireMs: number },
  nowMs: number,
): Promise<void> {
  await prisma.exchangedToken.create({ data: token });
  await prisma.trustRule.updateMany({ where: { id: ruleId }, data: { lastUsedMs: nowMs } });
}

/** Deletes up to `limit` notes of id tokens that have expired; returns how many. */
export async function removeOldExchanges({ prisma }: Tx, nowMs: number, limit: number): Promise<number> {
  return (await prisma.exchangedToken.deleteMany({ where: { expireMs: { lte: nowMs } }, limit })).count;
}

/** Deletes up to `limit` API tokens of rules that had expired before a time; returns how many. */
export async function removeExpiredTokens({ prisma }: Tx, beforeMs: number, limit: number): Promise<number> {
  const where = { trustRuleId: { not: null }, expireMs: { lte: beforeMs } };
  return (await prisma.apiToken.deleteMany({ where, limit })).count;
}
