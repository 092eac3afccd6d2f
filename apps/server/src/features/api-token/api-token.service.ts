// Long-lived credentials: wire contract section 5.
import { AppError, type contract, type Service, sliceOf } from '@quarterdeck/core';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { createToken, findToken, listTokens, removeToken, updateToken } from './api-token.repo.ts';

const TAIL_LENGTH = 4;

export function apiTokenService({ db, key, now }: Deps): Service<(typeof contract)['apiToken'], CallContext> {
  const refusePast = (expire: number | undefined) => {
    if (expire === undefined || expire === 0 || expire > now()) return;
    const message = 'must be in the future, or 0 for never';
    throw new AppError('validation_failed', {
      message: `body.expire: ${message}`,
      fields: [{ path: 'body.expire', message }],
    });
  };

  return {
    list: ({ query, actor }) => listTokens(db, actor, checkWindow(sliceOf(query)), query.detail),

    async get({ params, query, actor }) {
      const token = await findToken(db, actor, params.id, query.detail);
      if (token === undefined) throw new AppError('not_found');
      return token;
    },

    async create({ body, actor }) {
      const name = body.name ?? '';
      const expire = body.expire ?? 0;
      refusePast(expire);
      const token = newSecret('api_token');
      const nowMs = now();
      const row = {
        userId: actor.userId,
        name,
        expireMs: expire,
        tokenHash: key.digest(token),
        tokenTail: token.slice(-TAIL_LENGTH),
      };
      const id = await db.write((tx) => createToken(tx, row, nowMs));
      const seconds = nowMs / 1000;
      return { id, name, expire, _created_unix: seconds, _modified_unix: seconds, token, uid: actor.userId };
    },

    async update({ params, body, actor }) {
      refusePast(body.expire);
      if (!(await db.write((tx) => updateToken(tx, actor, params.id, body, now())))) throw new AppError('not_found');
      return undefined;
    },

    async remove({ params, actor }) {
      if (!(await db.write((tx) => removeToken(tx, actor, params.id)))) throw new AppError('not_found');
      return undefined;
    },
  };
}
