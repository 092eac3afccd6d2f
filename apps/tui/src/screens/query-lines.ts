// The text in the place of data that is not there. Pure.

import type { Query } from '@quarterdeck/views/reads';
import { paragraph } from '../components/list/detail-lines.ts';
import type { Line } from '../text/lines.ts';

/** The failure of a query, or the text of a read in progress. */
export const queryLines = (query: Query<unknown>, reading: string, width: number): Line[] =>
  query.status === 'failed' ? paragraph(query.failure.message, width, 'bad') : [[{ text: reading, tone: 'muted' }]];
