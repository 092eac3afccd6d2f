// The noun `trust`: rules by which jobs exchange id tokens for API tokens.
import { AppError, type contract, type Service, sliceOf, type TrustRuleDraft, type UserActor } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { formatScopes } from '../../auth/token-scopes.ts';
import { announceRevoked } from '../api-token/announce-revoked.ts';
import { findOwnCredential } from '../api-token/api-token.repo.ts';
import { blocksFor, scopesFor } from '../api-token/token-rules.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { checkRole } from '../user/user-rules.ts';
import type { TrustNeeds } from './needs.ts';
import {
  createRule,
  findRule,
  listRules,
  type RuleFields,
  removeRule,
  removeTokensOfRule,
  tokensOfRule,
  toRule,
  updateRule,
} from './trust.repo.ts';

export function trustService({ db, audit, events, now }: TrustNeeds): Service<(typeof contract)['trust'], CallContext> {
  /** The content of a rule, within the rights of the caller: a rule must not give more than its author has. */
  async function fieldsOf(tx: Tx, actor: UserActor, draft: TrustRuleDraft): Promise<RuleFields> {
    const isToken = actor.credential.kind === 'api_token';
    if (isToken && actor.credential.expireMs !== 0) {
      throw new AppError('forbidden', {
        message: 'A trust rule does not expire, and the API token of this request does. Use a session.',
      });
    }
    const asking = isToken ? await findOwnCredential(tx, actor) : undefined;
    const { name, issuer, audience, subject, scopes, allowed_cidrs: blocks } = draft;
    return {
      name,
      issuer,
      audience,
      subject,
      scopes: formatScopes(scopesFor(actor, scopes)),
      allowedCidrs: blocksFor(asking, blocks),
    };
  }

  /** Ends the tokens that a rule has given. */
  async function endTokens(tx: Tx, id: number): Promise<number> {
    const tokens = await tokensOfRule(tx, id, now());
    await removeTokensOfRule(tx, id);
    await announceRevoked(events, tx, tokens);
    return tokens.length;
  }

  return {
    list: ({ query }) => listRules(db, checkWindow(sliceOf(query))),

    async get({ params, version }) {
      const row = found(await findRule(db.read, params.id));
      const rule = toRule(row);
      version?.show(rule);
      return rule;
    },

    create: ({ body, actor, request }) =>
      db.write(async (tx) => {
        const fields = await fieldsOf(tx, actor, body);
        const rule = toRule(await createRule(tx, { ...fields, userId: actor.userId }, now()));
        const target = { kind: 'trust', id: rule.id };
        await audit.record(tx, { action: 'trust.create', actor, request, target, detail: { after: fields } });
        return rule;
      }),

    async update({ params, body, actor, request, version }) {
      const rule = await db.write(async (tx) => {
        const row = found(await findRule(tx, params.id));
        checkRole(actor, row.user.role);
        const before = toRule(row);
        version?.check(before);
        const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        const fields = await fieldsOf(tx, actor, { ...before, ...given } as TrustRuleDraft);
        const after = toRule(await updateRule(tx, row.id, fields, now()));
        const ended = await endTokens(tx, row.id);
        const target = { kind: 'trust', id: row.id };
        const { name, issuer, audience, subject, scopes, allowedCidrs } = row;
        const detail = { before: { name, issuer, audience, subject, scopes, allowedCidrs }, after: fields, ended };
        await audit.record(tx, { action: 'trust.update', actor, request, target, detail });
        return after;
      });
      version?.show(rule);
      return rule;
    },

    async remove({ params, actor, request, version }) {
      await db.write(async (tx) => {
        const row = found(await findRule(tx, params.id));
        checkRole(actor, row.user.role);
        const before = toRule(row);
        version?.check(before);
        const ended = await endTokens(tx, row.id);
        await removeRule(tx, row.id);
        const target = { kind: 'trust', id: row.id };
        await audit.record(tx, { action: 'trust.delete', actor, request, target, detail: { before, ended } });
      });
      return undefined;
    },
  };
}
