// Context of a service call. It has its own file, because the audit log needs it.
import type { Versioning } from '@quarterdeck/express/parts';

/** Context that every call of a service has besides its input. */
export interface CallContext {
  readonly request: {
    readonly id: string;
    readonly address: string;
    /** `User-Agent` of the caller, cut short. */
    readonly client: string;
    /** `Idempotency-Key`, as it came. */
    readonly idempotencyKey?: string | undefined;
    /** Header with the numbers of an agent's batch, as it came. */
    readonly batchNumbers?: string | undefined;
  };
  /** Returns a signal that is aborted when the caller has gone; absent where the call did not come over HTTP. */
  readonly left?: () => AbortSignal;
  /** Set where the endpoint is `versioned` and the call came over HTTP. */
  readonly version?: Versioning | undefined;
}
