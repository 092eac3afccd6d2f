// Numbers of batches of agents.
import { AppError, BATCH_HEADER, BatchNumbers } from '@quarterdeck/core';

/**
 * Reads the header with the numbers of a batch.
 *
 * @throws AppError `validation_failed` where it is not valid
 */
export function readNumbers(header: string | undefined): BatchNumbers | undefined {
  if (header === undefined) return undefined;
  const { data } = BatchNumbers.safeParse(parsed(header));
  if (data !== undefined) return data;
  const message = 'must be the numbers of a batch as JSON';
  throw new AppError('validation_failed', {
    message: `headers.${BATCH_HEADER}: ${message}`,
    fields: [{ path: `headers.${BATCH_HEADER}`, message }],
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
