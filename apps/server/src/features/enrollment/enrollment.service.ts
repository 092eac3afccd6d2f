// The enrollment service. An enrollment token registers agents and has no other permission.
import { type AppError, type contract, type Enrollment, invalidField, type Service, sliceOf } from '@quarterdeck/core';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import {
  createEnrollment,
  findEnrollment,
  listEnrollments,
  lockEnrollment,
  removeEnrollment,
  toEnrollment,
  updateEnrollment,
} from './enrollment.repo.ts';
import type { EnrollmentNeeds } from './needs.ts';

const TAIL_LENGTH = 4;

export function enrollmentService({
  db,
  key,
  audit,
  now,
}: EnrollmentNeeds): Service<(typeof contract)['enrollment'], CallContext> {
  return {
    async list({ query }) {
      const { rows, count } = await listEnrollments(db.read, checkWindow(sliceOf(query)));
      const nowMs = now();
      return { data: rows.map((row) => toEnrollment(row, nowMs)), meta: { count } };
    },

    async create({ body, actor, request }) {
      const nowMs = now();
      const expire = body.expire ?? 0;
      if (expire !== 0 && expire <= nowMs) throw expiryIsPast();
      const token = newSecret('enrollment');
      const { name, uses, labels } = body;
      const row = await db.write(async (tx) => {
        const created = await createEnrollment(tx, {
          name,
          uses,
          labels: JSON.stringify(labels),
          tokenHash: key.digest(token),
          tokenTail: token.slice(-TAIL_LENGTH),
          expireMs: expire,
          createdMs: nowMs,
          createdBy: actor.kind === 'user' ? actor.username : '',
        });
        await audit.record(tx, {
          action: 'enrollment.create',
          actor,
          request,
          target: { kind: 'enrollment', id: created.id },
          detail: { after: { name, expire, uses, labels } },
        });
        return created;
      });
      return { ...toEnrollment(row, nowMs), token };
    },

    async get({ params: { id }, version }) {
      const row = found(await findEnrollment(db.read, id));
      const enrollment = toEnrollment(row, now());
      version?.show(enrollment);
      return enrollment;
    },

    async update({ params: { id }, body, version, actor, request }) {
      const changed = await db.write(async (tx) => {
        // Of two changes at a time the second one sees the first.
        await lockEnrollment(tx, id);
        const before = found(await findEnrollment(tx, id));
        version?.check(toEnrollment(before, now()));
        const { name, labels } = body;
        const row = await updateEnrollment(tx, id, {
          ...(name === undefined ? {} : { name }),
          ...(labels === undefined ? {} : { labels: JSON.stringify(labels) }),
        });
        const after = toEnrollment(row, now());
        await audit.record(tx, {
          action: 'enrollment.update',
          actor,
          request,
          target: { kind: 'enrollment', id },
          detail: { before: editedOf(toEnrollment(before, now())), after: editedOf(after) },
        });
        return after;
      });
      version?.show(changed);
      return changed;
    },

    async remove({ params: { id }, actor, request }) {
      await db.write(async (tx) => {
        const row = found(await removeEnrollment(tx, id));
        const { name, expire, uses, used, labels } = toEnrollment(row, now());
        await audit.record(tx, {
          action: 'enrollment.delete',
          actor,
          request,
          target: { kind: 'enrollment', id },
          detail: { before: { name, expire, uses, used, labels } },
        });
      });
      return undefined;
    },
  };
}

/** The fields that people edit. */
const editedOf = ({ name, labels }: Enrollment) => ({ name, labels });

function expiryIsPast(): AppError {
  return invalidField('body.expire', 'must not be in the past');
}
