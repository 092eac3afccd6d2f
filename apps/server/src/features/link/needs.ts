import type { UserActor } from '@quarterdeck/core';
import type { RecordingNeeds } from '../audit/needs.ts';
import type { CallContext } from '../call-context.ts';

/** A read of what a link shows, for its author. */
export interface SubjectCall extends CallContext {
  readonly actor: UserActor;
  readonly params: { readonly id: number };
}

/** Parts of a server that read-only links work with. */
export interface LinkNeeds extends Pick<RecordingNeeds, 'db' | 'key' | 'audit' | 'now'> {
  /** Address of this server for people, without a slash at its end. */
  readonly publicUrl: string | undefined;
  /** Reads what links show; rejects with `not_found` where the caller may not read it. */
  readonly read: Readonly<Record<'alert' | 'errlog', (call: SubjectCall) => Promise<unknown>>>;
}
