// Requests about enrollment tokens. A new secret goes from the answer into a dialog and nowhere else.
import type { Enrollment, EnrollmentDraft, NewEnrollment } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';

/** Interval of reading again, because hosts use the tokens up, milliseconds. */
const EVERY_MS = 10_000;

const list: ReadRange<Enrollment> = (client, query, signal) => client.enrollment.list({ query }, { signal });

/** Reads the enrollment tokens while `active`. */
export const useEnrollments = (active: boolean): Rows<Enrollment> => useRows(list, active, { everyMs: EVERY_MS });

/** Creates an enrollment token. */
export const createEnrollment = (client: Client, body: EnrollmentDraft): Promise<NewEnrollment> =>
  client.enrollment.create({ body });

/** Revokes an enrollment token. */
export const removeEnrollment = (client: Client, id: number): Promise<undefined> =>
  client.enrollment.remove({ params: { id } });
