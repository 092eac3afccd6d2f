// The noun `apiToken`: long-lived credentials, section 5 of the wire contract.
import {
  type ApiToken,
  AppError,
  type contract,
  PERMISSIONS,
  type Service,
  sliceOf,
  type UserActor,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { releaseExpiredAuthor } from '../../auth/author.repo.ts';
import { notePermissions } from '../../auth/require-permissions.ts';
import { newSecret, newSentryKey } from '../../auth/secrets.ts';
import { checkSourceFilter } from '../../auth/source-filter.ts';
import { formatScopes, readScopes } from '../../auth/token-scopes.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { announceRevoked } from './announce-revoked.ts';
import {
  createToken,
  findOwnCredential,
  findToken,
  listTokens,
  lockOwnCredential,
  lockToken,
  removeToken,
  rotateToken,
  setScopes,
  setTokenDisabled,
  updateToken,
} from './api-token.repo.ts';
import { readBlocks, type TokenRow, toApiToken, toDetailedApiToken } from './api-token.view.ts';
import { announceExpiring } from './expiry-warnings.ts';
import type { TokenNeeds } from './needs.ts';
import { revokeBySecret } from './revoke-by-secret.ts';
import { checkTokenLimit, lockTokenLimit } from './token-limit.ts';
import {
  blocksFor,
  checkExpire,
  checkMayControl,
  checkNotExtended,
  expireFor,
  scopesFor,
  scopesOfKind,
  sourcesFor,
} from './token-rules.ts';
import { planNarrowing, readUnused, readUse } from './token-use.ts';

const TAIL_LENGTH = 4;

/** Endpoints of the contract, and the job about expiring tokens. */
export interface ApiTokenService extends Omit<Service<(typeof contract)['apiToken'], CallContext>, 'exchange'> {
  /** Announces tokens that are about to expire. */
  announceExpiring(stopped: () => boolean): Promise<void>;
}

export function apiTokenService(deps: TokenNeeds): ApiTokenService {
  const { db, key, audit, events, now, tokenMaxDays, tokenUses, maxTokensPerUser: max } = deps;

  const show = (row: TokenRow, detail: number) => (detail === 1 ? toDetailedApiToken(row, now()) : toApiToken(row));

  /** Tokens as a read shows them; with details also the permissions that each does not use. */
  async function showAll(rows: readonly TokenRow[], detail: number): Promise<ApiToken[]> {
    if (detail !== 1) return rows.map(toApiToken);
    const unusedOf = await readUnused(db.read, rows, now());
    return rows.map((row) => {
      const unused = unusedOf(row);
      return { ...show(row, 1), ...(unused && { unused }) };
    });
  }

  /** Generates a secret, with its hash and tail for the database. */
  const generateSecret = (kind: string) => {
    const token = kind === 'sentry' ? newSentryKey() : newSecret('api_token');
    return { token, hash: key.digest(token), tail: token.slice(-TAIL_LENGTH) };
  };

  /** Finds the token of the request; undefined where it came with a session. */
  async function askingToken(tx: Tx, actor: UserActor): Promise<TokenRow | undefined> {
    if (actor.credential.kind === 'session') return undefined;
    const asking = await findOwnCredential(tx, actor);
    if (asking === undefined) throw new AppError('credential_invalid');
    return asking;
  }

  /** Checks that the caller may control a token as it will be. */
  async function checkControl(tx: Tx, actor: UserActor, row: TokenRow): Promise<void> {
    const asking = await askingToken(tx, actor);
    checkMayControl(actor, asking, row);
    // Without the permissions of that token, the token of the request does not control it.
    const isOther = asking !== undefined && asking.id !== row.id;
    if (isOther) notePermissions(actor, readScopes(row.scopes) ?? PERMISSIONS);
  }

  interface Call extends CallContext {
    readonly actor: UserActor;
  }

  const record = (tx: Tx, { actor, request }: Call, verb: string, id: number, detail: Record<string, unknown>) =>
    audit.record(tx, { action: `api_token.${verb}`, actor, request, target: { kind: 'api_token', id }, detail });

  /** Runs one write about a token that the caller may see; anything else is `not_found`. */
  const change = <T>(call: Call & { readonly params: { readonly id: number } }, work: Work<T>): Promise<T> =>
    db.write(async (tx) => {
      const row = found(await lockToken(tx, call.actor, call.params.id));
      return work(tx, row);
    });

  async function remove(tx: Tx, call: Call, row: TokenRow): Promise<undefined> {
    call.version?.check(show(row, 1));
    await releaseExpiredAuthor(tx, row.id, now());
    await removeToken(tx, row.id);
    await announceRevoked(events, tx, [row]);
    await record(tx, call, 'delete', row.id, { before: describe(row) });
  }

  async function setDisabled(tx: Tx, call: Call, row: TokenRow, disabled: boolean): Promise<undefined> {
    const before = row.disabled === 1;
    if (before === disabled) return;
    await setTokenDisabled(tx, row.id, disabled, now());
    if (disabled) await announceRevoked(events, tx, [row]);
    await record(tx, call, disabled ? 'disable' : 'enable', row.id, {
      before: { disabled: before },
      after: { disabled },
    });
  }

  return {
    async list({ query, actor }) {
      const { rows, count } = await listTokens(db, actor, checkWindow(sliceOf(query)));
      return { data: await showAll(rows, query.detail), meta: { count } };
    },

    async get({ params, query, actor, version }) {
      const row = found(await findToken(db, actor, params.id));
      version?.show(show(row, 1));
      const [token] = await showAll([row], query.detail);
      return token as ApiToken;
    },

    async self({ actor, version }) {
      const row = await findOwnCredential(db.read, actor);
      if (row === undefined) throw new AppError('credential_invalid');
      version?.show(show(row, 1));
      const [token] = await showAll([row], 1);
      return token as ApiToken;
    },

    async create(call) {
      const { body, actor } = call;
      const name = body.name ?? '';
      const nowMs = now();
      const kind = body.kind ?? 'api';
      const scopes = formatScopes(scopesFor(actor, scopesOfKind(kind, body.scopes)));
      await checkSourceFilter(body.errlog_filter ?? '');
      const { token, hash, tail } = generateSecret(kind);
      // A user at the limit costs a read and no write.
      await checkTokenLimit(db.read, actor.userId, { max, nowMs });
      const made = await db.write(async (tx) => {
        const asking = await askingToken(tx, actor);
        const expire = expireFor(asking, body.expire);
        checkExpire(expire, nowMs, tokenMaxDays);
        const allowedCidrs = blocksFor(asking, body.allowed_cidrs);
        await lockTokenLimit(tx, actor.userId, { max, nowMs });
        const errlogFilter = sourcesFor(asking, body.errlog_filter);
        // Filters that are joined again and again grow beyond what can be read.
        await checkSourceFilter(errlogFilter);
        const row = { userId: actor.userId, name, expireMs: expire, scopes, allowedCidrs, kind, errlogFilter };
        const id = await createToken(tx, { ...row, tokenHash: hash, tokenTail: tail }, nowMs);
        const after = describe(row);
        await record(tx, call, 'create', id, { after });
        return { id, expire };
      });
      const seconds = nowMs / 1000;
      return { ...made, name, _created_unix: seconds, _modified_unix: seconds, token, uid: actor.userId };
    },

    async update(call) {
      const { body, actor } = call;
      const nowMs = now();
      if (body.expire !== undefined) checkExpire(body.expire, nowMs, tokenMaxDays);
      const changed = await change(call, async (tx, row) => {
        call.version?.check(show(row, 1));
        const before = { name: row.name, expire: row.expireMs };
        const expire = body.expire === undefined ? row.expireMs : expireFor(await askingToken(tx, actor), body.expire);
        if (row.trustRuleId !== null) checkNotExtended(row.expireMs, expire);
        await checkControl(tx, actor, { ...row, expireMs: expire });
        const after = { name: body.name ?? before.name, expire };
        // An expired token that is extended counts again.
        const isRevived = isExpired(before, nowMs) && !isExpired(after, nowMs);
        if (isRevived) await lockTokenLimit(tx, row.userId, { max, nowMs });
        await updateToken(tx, row, { name: after.name, expireMs: expire }, nowMs);
        if (after.expire !== before.expire) await announceRevoked(events, tx, [row]);
        await record(tx, call, 'update', row.id, { before, after });
        return { ...row, name: after.name, expireMs: expire, modifiedMs: nowMs };
      });
      call.version?.show(show(changed, 1));
      return undefined;
    },

    async rotate(call) {
      const { actor, body } = call;
      const nowMs = now();
      const grace = body.grace ?? 0;
      const graceUntilMs = grace === 0 ? 0 : nowMs + grace * 1000;
      return change(call, async (tx, row) => {
        await checkControl(tx, actor, row);
        const { token, hash, tail } = generateSecret(row.kind);
        await rotateToken(tx, row.id, { hash, tail, graceUntilMs }, nowMs);
        await announceRevoked(events, tx, [row]);
        await record(tx, call, 'rotate', row.id, { grace_until: graceUntilMs });
        return { ...toApiToken({ ...row, modifiedMs: nowMs }), token, uid: row.userId };
      });
    },

    disable: (call) => change(call, (tx, row) => setDisabled(tx, call, row, true)),
    enable: (call) =>
      change(call, async (tx, row) => {
        await checkControl(tx, call.actor, row);
        return setDisabled(tx, call, row, false);
      }),
    remove: (call) => change(call, (tx, row) => remove(tx, call, row)),

    async use({ params: { id }, actor }) {
      const row = found(await findToken(db, actor, id));
      await tokenUses.flush(id);
      return readUse(db.read, row, now());
    },

    async narrow(call) {
      const { params, body, query } = call;
      await tokenUses.flush(params.id);
      const nowMs = now();
      return change(call, async (tx, row) => {
        const narrowed = await planNarrowing(tx, row, nowMs);
        if (body.dry_run || query.dry_run || narrowed.removed.length === 0) return narrowed;
        const before = { scopes: readScopes(row.scopes) };
        await setScopes(tx, row.id, formatScopes(narrowed.scopes), nowMs);
        await announceRevoked(events, tx, [row]);
        await record(tx, call, 'narrow', row.id, { before, after: { scopes: narrowed.scopes } });
        return narrowed;
      });
    },

    removeSelf: (call) =>
      db.write(async (tx) => {
        const row = await lockOwnCredential(tx, call.actor);
        if (row === undefined) throw new AppError('credential_invalid');
        return remove(tx, call, row);
      }),

    revoke: ({ body, request }) => revokeBySecret(deps, body, request),

    announceExpiring: (stopped) => announceExpiring(deps, stopped),
  };
}

const isExpired = ({ expire }: { readonly expire: number }, nowMs: number) => expire !== 0 && expire <= nowMs;

type Work<T> = (tx: Tx, row: TokenRow) => Promise<T>;

/** Fields of a token for the audit log. */
const describe = (
  row: Pick<TokenRow, 'name' | 'expireMs' | 'userId' | 'scopes' | 'allowedCidrs' | 'kind' | 'errlogFilter'>,
) => ({
  name: row.name,
  expire: row.expireMs,
  uid: row.userId,
  ...(row.kind === 'sentry' ? { kind: row.kind } : {}),
  scopes: readScopes(row.scopes),
  allowed_cidrs: readBlocks(row.allowedCidrs),
  ...(row.errlogFilter !== '' && { errlog_filter: row.errlogFilter }),
});
