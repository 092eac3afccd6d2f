// Filters of live events about errors.
import * as z from 'zod';
import { errlogFilters } from './errlog.ts';

/** Filters that an entry of `detail=1` alone can answer. */
export const liveErrlogFilters = z
  .object(errlogFilters)
  .omit({ req_id: true, start_time: true, end_time: true, filter: true }).shape;
