// The screen of the enrollment tokens.

import type { Enrollment } from '@quarterdeck/core';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';
import { factDetail } from '../../components/list/detail-lines.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import { createDialog, removeDialog } from './enrollment-dialogs.ts';
import { ENROLLMENT_FACETS, enrollmentColumns, enrollmentFacts, enrollmentName } from './enrollment-view.ts';

/** Interval of reading again, because hosts use the tokens up, milliseconds. */
const EVERY_MS = 10_000;

const list: ReadRange<Enrollment> = (client, query, signal) => client.enrollment.list({ query }, { signal });

const useEnrollments = (active: boolean): Rows<Enrollment> => useRows(list, active, { everyMs: EVERY_MS });

export const EnrollmentScreen = listScreen({
  place: 'enrollment',
  useSource: useEnrollments,
  clockMs: 10_000,
  columns: enrollmentColumns,
  facets: ENROLLMENT_FACETS,
  detail: (token, { nowMs }) => factDetail(enrollmentName(token), enrollmentFacts(token, nowMs)),
  commands: ({ selected, chosen }, context) => ({
    create: () => context.open(createDialog(context)),
    remove: selected === undefined ? undefined : () => context.open(removeDialog(chosen, context)),
  }),
  empty: ({ keyOf }) => ({
    reading: 'Reading the enrollment tokens…',
    title: 'No enrollment tokens.',
    lines: [
      'A token enrolls new hosts and gives access to nothing else.',
      ...pressTo(keyOf('enrollment.create'), 'create one'),
    ],
  }),
});
