// Refusals packed for another thread: an error travels as its parts.
import { AppError, type AppErrorOptions, type ErrorCode } from '../plain.ts';

/** A refusal in a form that can travel. */
export interface PackedRefusal {
  readonly code: ErrorCode;
  readonly options: AppErrorOptions;
}

/** Packs a refusal, without its cause. */
export function packRefusal({ code, message, detail, fields, retryAfterS }: AppError): PackedRefusal {
  const options = {
    message,
    ...(detail === undefined ? {} : { detail }),
    ...(fields === undefined ? {} : { fields }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
  return { code, options };
}

/** Reverses {@link packRefusal}. */
export const unpackRefusal = ({ code, options }: PackedRefusal): AppError => new AppError(code, options);
