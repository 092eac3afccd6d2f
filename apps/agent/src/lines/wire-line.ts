// Form of a line on its way to the server.
import type { ErrlogLine } from '@quarterdeck/core';

/** A line that was read, and the parts that the form of its entry does not tell. */
export interface ReadLine {
  readonly line: WireLine;
  /** Its time is that of the reading. */
  readonly lacksTime: boolean;
  readonly lacksLevel: boolean;
}

/** A line as the agent sends it. `log_time` is Unix seconds. */
export type WireLine = Required<Pick<ErrlogLine, 'level' | 'log'>> &
  Pick<ErrlogLine, 'app_id' | 'fields'> & {
    readonly log_time: number;
    readonly req_id?: string;
    readonly service?: string;
  };
