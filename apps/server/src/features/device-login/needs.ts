import type { SessionIdle } from '../../auth/session-idle.ts';
import type { RecordingNeeds } from '../audit/needs.ts';

/** Parts of a server that the sign-in of terminals works with. */
export interface DeviceNeeds extends Pick<RecordingNeeds, 'db' | 'key' | 'audit' | 'now'> {
  readonly sessionIdle: SessionIdle;
  /** Address by which people reach this server; undefined = not known. */
  readonly publicUrl: string | undefined;
}
