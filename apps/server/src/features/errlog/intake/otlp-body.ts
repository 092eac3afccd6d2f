// A body of OpenTelemetry logs as a batch.

import type { Sender } from '../../../errlog-store/tables/sources.ts';
import { fingerprint } from '../../../fingerprint/fingerprint.ts';
import { readOtlp } from '../../../ingest/otlp.ts';
import { type IncomingBody, inflatedBytes, type ReadBatch, type SentLine } from './incoming.ts';

/**
 * Reads a body of OTLP. `nowS` is the time of records that do not say theirs, in Unix seconds.
 *
 * @throws AppError as `readOtlp`
 */
export function readOtlpBody(body: IncomingBody, nowS: number): { batch: ReadBatch; rejected: number } {
  const type = body.form === 'otlp_protobuf' ? 'protobuf' : 'json';
  const { sources, rejected } = readOtlp(inflatedBytes(body), type, nowS);
  const lines = sources.flatMap(({ name, lines: some }): SentLine[] => {
    const sender: Sender = { nodeType: 0, nodeId: -1, ...body.from, name: senderName(body.from, name) };
    return some.map((line) => ({ line, sender }));
  });
  const prints = lines.map(({ line }) => fingerprint(line.log));
  return { batch: { lines, prints, refused: [], bodyHash: undefined }, rejected };
}

/** An agent speaks for its host and nobody else: its own name stays in front. */
function senderName({ name: sender, agentId }: IncomingBody['from'], name: string): string {
  if (agentId !== undefined) return `${sender}${name === '' ? '' : ` ${name}`}`;
  return name === '' ? 'otlp' : name;
}
