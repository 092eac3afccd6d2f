import { type Allowance, NewGroupLimit } from '../../../packages/store/src/write/new-group-limit.ts';

/** An allowance of any number of new groups. */
export const UNLIMITED: Allowance = new NewGroupLimit(Number.POSITIVE_INFINITY).open(0);
