// A dry run: how lines would be grouped.
import type { ErrlogPreview, ErrlogReceipt } from '@quarterdeck/core';
import type { Sql } from '@quarterdeck/core/db';
import { fingerprint, normalForm } from '../fingerprint/fingerprint.ts';
import { aboutError } from '../print-index.ts';
import type { SentLine } from './errlog.incoming.ts';
import { allFields } from './occurrence-fields.ts';

const FIND = aboutError(
  (condition) => `SELECT e.id FROM errlog e JOIN source s ON s.id = e.src WHERE ${condition}
   AND s.node_type = ? AND s.node_id = ? AND s.name = ?`,
);

/** What would become of each line. Stores nothing, not even a source. */
export async function previewLines(
  sql: Sql,
  lines: readonly SentLine[],
  refused: ErrlogReceipt['refused'],
): Promise<ErrlogPreview[]> {
  const preview: ErrlogPreview[] = [];
  const left = new Set(refused.map(({ index }) => index));
  let index = 0;
  for (const { line, sender } of lines) {
    while (left.has(index)) index += 1;
    const print = fingerprint(line.log);
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
