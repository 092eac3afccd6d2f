// A body of OpenTelemetry logs as a batch.

import { fingerprint } from '@quarterdeck/core/fingerprint';
import { readOtlp } from '@quarterdeck/intake';
import { type SentLine, toColumns } from '@quarterdeck/store/line-columns';
import { type IncomingBody, inflatedBytes } from './incoming.ts';
import type { ReadBatch } from './packed-batch.ts';
import { sourceOf } from './senders.ts';

const NO_NODE = -1;
/** Source of a resource without a host and a service. */
const UNNAMED = 'otlp';

/**
 * Reads a body of OTLP. `nowS` is the time of records without one, in Unix seconds.
 *
 * @throws AppError as `readOtlp`
 */
export function readOtlpBody(body: IncomingBody, nowS: number): ReadBatch {
  const type = body.form === 'otlp_protobuf' ? 'protobuf' : 'json';
  const { sources, rejected, ...warnings } = readOtlp(inflatedBytes(body), type, nowS);
  const lines = sources.flatMap(({ name, lines: some }): SentLine[] => {
    const sender = sourceOf(body.from, name || UNNAMED, 0, NO_NODE);
    return some.map((line) => ({ line, sender }));
  });
  return {
    lines: toColumns(lines, ({ log, service }) => fingerprint(log, service)),
    refused: [],
    rejected,
    bodyHash: undefined,
    ...warnings,
    from: { ...body.from, name: UNNAMED },
  };
}
