// The noun `link`: read-only links to one alert, or to one group of errors.
import {
  AppError,
  type contract,
  invalidField,
  isRestricted,
  LINK_LIFE_MS,
  type Service,
  sliceOf,
} from '@quarterdeck/core';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext } from '../call-context.ts';
import { checkWindow } from '../page-window.ts';
import { lockUser } from '../user/user.repo.ts';
import { countLinks, createLink, type LinkSubject, listLinks, removeLink } from './link.repo.ts';
import type { LinkNeeds } from './needs.ts';

type Links = Service<(typeof contract)['link'], CallContext>;
type Create = Parameters<Links['createForAlert']>[0];
type List = Parameters<Links['ofAlert']>[0];
type Remove = Parameters<Links['removeOfAlert']>[0];

/** Live links of one user. Whoever needs more has a list of readers, who should have accounts. */
const LINKS_MAX = 100;

/** Pages of the subjects. */
const PAGES = { alert: '/a/', errlog: '/e/' } as const;

export function linkService({ db, key, audit, now, publicUrl = '', read }: LinkNeeds): Links {
  const of = (subject: LinkSubject['subject'], subjectId: number): LinkSubject => ({ subject, subjectId });

  const create = (subject: LinkSubject['subject']) => async (call: Create) => {
    const { actor, request, body, params } = call;
    await read[subject](call);
    // A link reads with the rights of its author, who may see more than this API token.
    if (actor.credential.errlogFilter !== '') {
      throw new AppError('forbidden', { detail: 'This API token sees a part of what a link of its owner would show.' });
    }
    const nowMs = now();
    const expire = checkedExpire(body.expire ?? nowMs + LINK_LIFE_MS.usual, nowMs);
    const secret = newSecret('link');
    const target = of(subject, params.id);
    const id = await db.write(async (tx) => {
      await lockUser(tx, actor.userId);
      if ((await countLinks(tx, actor.userId, nowMs)) >= LINKS_MAX) {
        throw new AppError('conflict', { message: `You have ${LINKS_MAX} links; revoke one first.` });
      }
      const row = {
        ...target,
        userId: actor.userId,
        tokenHash: key.digest(secret),
        createdMs: nowMs,
        expireMs: expire,
      };
      const created = await createLink(tx, row);
      await audit.record(tx, {
        action: 'link.create',
        actor,
        request,
        target: { kind: subject, id: params.id },
        detail: { link: created, expire },
      });
      return created;
    });
    return { id, url: `${publicUrl}${PAGES[subject]}${params.id}#link=${secret}`, expire };
  };

  const list = (subject: LinkSubject['subject']) => async (call: List) => {
    await read[subject](call);
    return listLinks(db.read, of(subject, call.params.id), checkWindow(sliceOf(call.query)), now());
  };

  const remove = (subject: LinkSubject['subject']) => async (call: Remove) => {
    const { actor, request, params } = call;
    const { id, link } = params;
    // A link to what is gone can still be revoked by those who see everything.
    if (isRestricted(actor)) await read[subject](call);
    await db.write(async (tx) => {
      if (!(await removeLink(tx, link, of(subject, id)))) throw new AppError('not_found');
      await audit.record(tx, {
        action: 'link.delete',
        actor,
        request,
        target: { kind: subject, id },
        detail: { link },
      });
    });
    return undefined;
  };

  return {
    createForAlert: create('alert'),
    ofAlert: list('alert'),
    removeOfAlert: remove('alert'),
    createForError: create('errlog'),
    ofError: list('errlog'),
    removeOfError: remove('errlog'),
  };
}

function checkedExpire(expire: number, nowMs: number): number {
  if (expire > nowMs && expire <= nowMs + LINK_LIFE_MS.max) return expire;
  throw invalidField('body.expire', 'must be in the future, and within 30 days');
}
