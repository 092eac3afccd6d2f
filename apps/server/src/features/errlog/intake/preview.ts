// Dry run: shows how lines would be grouped.
import type { ErrlogPreview, ErrlogReceipt } from '@quarterdeck/core';
import { normalForm } from '@quarterdeck/core/fingerprint';
import { EventLoopYield } from '@quarterdeck/core/threads';
import { allFields, type ErrlogReads } from '@quarterdeck/store';
import type { SentLine } from '@quarterdeck/store/line-columns';

/** Returns what each line would be, and its group where `findGroup` has it. Stores nothing, not even a source. */
export async function previewLines(
  findGroup: ErrlogReads['findGroup'],
  lines: readonly SentLine[],
  fingerprints: readonly string[],
  refused: ErrlogReceipt['refused'],
): Promise<ErrlogPreview[]> {
  const preview: ErrlogPreview[] = [];
  const left = new Set(refused.map(({ index }) => index));
  let index = 0;
  const eventLoop = new EventLoopYield();
  for (const [i, { line, sender }] of lines.entries()) {
    await eventLoop.pause();
    while (left.has(index)) index += 1;
    const fingerprint = fingerprints[i] ?? '';
    const { level, appId } = line;
    const group = await findGroup({ fingerprint, level, appId }, sender);
    preview.push({
      index,
      level,
      log: line.log,
      fingerprint,
      pattern: normalForm(line.log),
      group: group ?? null,
      source: sender.name,
      host: sender.name,
      service: line.service ?? '',
      fields: allFields(line.fields, line.log),
    });
    index += 1;
  }
  return preview;
}
