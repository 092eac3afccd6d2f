// A dry run: how lines would be grouped.
import type { ErrlogPreview, ErrlogReceipt } from '@quarterdeck/core';
import type { Sql } from '@quarterdeck/core/db';
import { allFields } from '../../../errlog-store/read/occurrence-fields.ts';
import { aboutError } from '../../../errlog-store/tables/fingerprint-index.ts';
import { EventLoopYield } from '../../../event-loop-yield.ts';
import { normalForm } from '../../../fingerprint/fingerprint.ts';
import type { SentLine } from './incoming.ts';

const FIND = aboutError(
  (condition) => `SELECT e.id FROM errlog e JOIN source s ON s.id = e.src WHERE ${condition}
   AND s.node_type = ? AND s.node_id = ? AND s.name = ?`,
);

/** What would become of each line, `prints` being their fingerprints. Stores nothing, not even a source. */
export async function previewLines(
  sql: Sql,
  lines: readonly SentLine[],
  prints: readonly string[],
  refused: ErrlogReceipt['refused'],
): Promise<ErrlogPreview[]> {
  const preview: ErrlogPreview[] = [];
  const left = new Set(refused.map(({ index }) => index));
  let index = 0;
  const turns = new EventLoopYield();
  for (const [i, { line, sender }] of lines.entries()) {
    await turns.pause();
    while (left.has(index)) index += 1;
    const print = prints[i] ?? '';
    const { nodeType, nodeId, name } = sender;
    const group = await sql.get<{ id: number }>(FIND, print, line.level, line.appId, nodeType, nodeId, name);
    preview.push({
      index,
      level: line.level,
      log: line.log,
      fingerprint: print,
      pattern: normalForm(line.log),
      group: group?.id ?? null,
      fields: allFields(line.fields, line.log),
    });
    index += 1;
  }
  return preview;
}
