// A body of OpenTelemetry logs as a batch.

import { fingerprint } from '@quarterdeck/core/fingerprint';
import { readOtlp } from '@quarterdeck/intake';
import type { SentLine } from '@quarterdeck/store';
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
export function readOtlpBody(body: IncomingBody, nowS: number): { batch: ReadBatch; rejected: number } {
  const type = body.form === 'otlp_protobuf' ? 'protobuf' : 'json';
  const { sources, rejected, ...warnings } = readOtlp(inflatedBytes(body), type, nowS);
  const lines = sources.flatMap(({ name, lines: some }): SentLine[] => {
    const sender = sourceOf(body.from, name || UNNAMED, 0, NO_NODE);
    return some.map((line) => ({ line, sender }));
  });
  const fingerprints = lines.map(({ line }) => fingerprint(line.log, line.service));
  const batch = {
    lines,
    fingerprints,
    refused: [],
    rejected,
    bodyHash: undefined,
    ...warnings,
    from: { ...body.from, name: UNNAMED },
  };
  return { batch, rejected };
}
