// The permissions that API tokens use, and those that they do not need (decision 091).
import { AppError, type Permission, type TokenUse } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { grantOf } from '../../auth/token-scopes.ts';
import { stateOf, type TokenRow } from './api-token.view.ts';
import { type NamedUse, neededPermissions, usesOf } from './token-use.repo.ts';

const DAY_MS = 86_400_000;
/** A permission that was not used for this long is reported as unused. */
const UNUSED_MS = 30 * DAY_MS;
/** Time for which a use counts: a job that runs once a month needs its permissions. */
export const USES_KEPT_MS = 35 * DAY_MS;
/** Shortest time in which a token shows what it needs. */
const OBSERVED_MS = 7 * DAY_MS;

const sinceOf = ({ createdMs, usesSinceMs }: TokenRow): number => Math.max(createdMs, usesSinceMs);

/** Permissions of a token at most: those of its owner's role, within its scopes. */
const permissionsOf = ({ role, scopes, errlogFilter }: TokenRow) => grantOf(role, scopes, errlogFilter).permissions;

export async function readUse(tx: Tx, row: TokenRow, nowMs: number): Promise<TokenUse> {
  const uses = await usesOf(tx, row.id, nowMs - USES_KEPT_MS);
  const shown = ({ name, count, lastMs }: NamedUse) => ({ name, count, last_used: lastMs / 1000 });
  const isEndpoint = ({ name }: NamedUse) => name.includes(' ');
  return {
    since: sinceOf(row) / 1000,
    permissions: uses.filter((use) => !isEndpoint(use)).map(shown),
    endpoints: uses.filter(isEndpoint).map(shown),
    last: { time: row.lastUsedMs === 0 ? null : row.lastUsedMs / 1000, address: row.lastAddress },
  };
}

/**
 * Reads which permissions some tokens have and do not use; undefined for a token whose uses are counted for less than
 * 30 days, and for one that does not work.
 */
export async function readUnused(
  tx: Tx,
  rows: readonly TokenRow[],
  nowMs: number,
): Promise<(row: TokenRow) => Permission[] | undefined> {
  const works = (row: TokenRow) => ['active', 'expiring'].includes(stateOf(row, nowMs));
  const observed = rows.filter((row) => sinceOf(row) <= nowMs - UNUSED_MS && works(row));
  const neededBy = await neededPermissions(
    tx,
    observed.map(({ id }) => id),
    nowMs - UNUSED_MS,
  );
  return (row) => (observed.includes(row) ? permissionsOf(row).filter((one) => !neededBy(row.id).has(one)) : undefined);
}

/**
 * Finds the scopes that a token needs, and those of its permissions that it does not.
 *
 * @throws AppError `conflict` for a token that was observed for too short a time, or not used
 */
export async function planNarrowing(
  tx: Tx,
  row: TokenRow,
  nowMs: number,
): Promise<{ readonly scopes: Permission[]; readonly removed: Permission[] }> {
  const enoughMs = sinceOf(row) + OBSERVED_MS;
  if (enoughMs > nowMs) {
    const from = new Date(enoughMs).toISOString();
    throw refusal(`The uses of this API token are counted for less than 7 days. Narrow it from ${from} on.`);
  }
  const fromMs = nowMs - USES_KEPT_MS;
  if ((await usesOf(tx, row.id, fromMs)).length === 0) {
    throw refusal('This API token was not used in the last 35 days. Disable or delete it instead.');
  }
  const needed = (await neededPermissions(tx, [row.id], fromMs))(row.id);
  const permissions = permissionsOf(row);
  return {
    scopes: permissions.filter((one) => needed.has(one)),
    removed: permissions.filter((one) => !needed.has(one)),
  };
}

const refusal = (message: string) => new AppError('conflict', { message });
