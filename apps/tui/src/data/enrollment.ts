// Requests about enrolment tokens. A new secret goes from the answer into a dialog and nowhere else.
import type { Enrollment, EnrollmentDraft, NewEnrollment } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { ROWS_MAX, type Rows, useRows } from './use-rows.ts';

/** Interval of reading again, because hosts use the tokens up, milliseconds. */
const EVERY_MS = 10_000;

const list = (client: Client, signal: AbortSignal) =>
  client.enrollment.list({ query: { page_size: ROWS_MAX } }, { signal });

/** Reads the enrolment tokens while `active`. */
export const useEnrollments = (active: boolean): Rows<Enrollment> => useRows(list, active, EVERY_MS);

/** Creates an enrolment token. */
export const createEnrollment = (client: Client, body: EnrollmentDraft): Promise<NewEnrollment> =>
  client.enrollment.create({ body });

/** Revokes an enrolment token. */
export const removeEnrollment = (client: Client, id: number): Promise<undefined> =>
  client.enrollment.remove({ params: { id } });
