// A body of OpenTelemetry logs as a batch.

import type { Sender, SentLine } from '../../../errlog-store/errlog-store.ts';
import { fingerprint } from '../../../fingerprint/fingerprint.ts';
import { readOtlp } from '../../../ingest/otlp.ts';
import { type IncomingBody, inflatedBytes } from './incoming.ts';
import type { ReadBatch } from './packed-batch.ts';

/**
 * Reads a body of OTLP. `nowS` is the time of records without one, in Unix seconds.
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
  const fingerprints = lines.map(({ line }) => fingerprint(line.log));
  return { batch: { lines, fingerprints, refused: [], bodyHash: undefined }, rejected };
}

/** Returns the name of a sender. An agent sends only for its host: its own name comes first. */
function senderName({ name: sender, agentId }: IncomingBody['from'], name: string): string {
  if (agentId !== undefined) return `${sender}${name === '' ? '' : ` ${name}`}`;
  return name === '' ? 'otlp' : name;
}
