// Splits lines over several segments.
import { type GroupLines, SEGMENT_LINES } from './segment.ts';

/** Number of lines whose ids are counted from 0. */
export const sizeOf = (content: readonly GroupLines[]): number =>
  content.reduce((most, { lines }) => Math.max(most, (lines.at(-1)?.id ?? -1) + 1), 0);

/** Yields lines in the order of arrival, at most as many at once as a segment holds. Ids are counted from 0. */
export function* splitLines(content: readonly GroupLines[]): Generator<GroupLines[]> {
  const end = sizeOf(content);
  if (end <= SEGMENT_LINES) {
    if (end > 0) yield [...content];
    return;
  }
  for (let from = 0; from < end; from += SEGMENT_LINES) {
    const to = from + SEGMENT_LINES;
    const part = content.map(({ group, lines }) => ({ group, lines: lines.filter(({ id }) => id >= from && id < to) }));
    yield part.filter(({ lines }) => lines.length > 0);
  }
}
