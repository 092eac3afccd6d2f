/** Context of a call of a service, beside its input. */
export interface CallContext {
  readonly request: {
    readonly id: string;
    /** Address of the caller. */
    readonly address: string;
    /** `User-Agent` of the caller, truncated. */
    readonly client: string;
    /** `Idempotency-Key`, as the client sent it. */
    readonly idempotencyKey?: string | undefined;
  };
}
