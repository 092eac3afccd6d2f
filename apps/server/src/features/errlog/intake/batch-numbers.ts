// Numbers of batches of agents.
import { BATCH_HEADER, BatchNumbers, invalidField } from '@quarterdeck/core';

/**
 * Reads the header with the numbers of a batch.
 *
 * @throws AppError `validation_failed` where it is not valid
 */
export function readNumbers(header: string | undefined): BatchNumbers | undefined {
  if (header === undefined) return undefined;
  const { data } = BatchNumbers.safeParse(parsed(header));
  if (data !== undefined) return data;
  throw invalidField(`headers.${BATCH_HEADER}`, 'must be the numbers of a batch as JSON');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
