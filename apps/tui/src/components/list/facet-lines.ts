// Facets as lines. Pure.
import { clean, count, grouped } from '@quarterdeck/views/text';
import { fit } from '../../text/width.ts';
import { fitLine, type Line } from '../../theme/lines.ts';
import { on } from '../../theme/theme.ts';
import type { FacetGroup } from './list-filter.ts';

/** Maximum number of shown values of a facet; a filter finds the others faster. */
const VALUES_MAX = 12;

const EXACT_BELOW = 1_000_000;

/** A row of the facets: a heading, a value, a remainder or a gap. */
export type FacetRow =
  | { readonly kind: 'title'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly group: string;
      readonly value: string;
      readonly key?: string;
      readonly count: number;
      readonly chosen: boolean;
    }
  | { readonly kind: 'more'; readonly count: number }
  | { readonly kind: 'gap' };

/** Returns all rows of the facets. */
export function facetRows(groups: readonly FacetGroup[]): FacetRow[] {
  return groups.flatMap(({ id, title, values }, index): FacetRow[] => {
    const shown = values.filter(({ chosen }, at) => chosen || at < VALUES_MAX);
    return [
      ...(index === 0 ? [] : [{ kind: 'gap' as const }]),
      { kind: 'title', text: title },
      ...shown.map((value) => ({ kind: 'value' as const, group: id, ...value })),
      ...(values.length > shown.length ? [{ kind: 'more' as const, count: values.length - shown.length }] : []),
    ];
  });
}

/** Returns the first visible row, so that the row at `at` is visible. */
export const facetFrom = (total: number, at: number, height: number): number =>
  Math.max(0, Math.min(at - Math.floor(height / 2), total - height));

/** Renders the visible rows around the row at `at`. */
export function facetLines(
  groups: readonly FacetGroup[],
  { at, focused, width, height }: { at: number; focused: boolean; width: number; height: number },
): Line[] {
  const rows = facetRows(groups);
  const from = facetFrom(rows.length, at, height);
  const inner = width - 2;
  return Array.from({ length: height }, (_, index): Line => {
    const row = rows[from + index] ?? { kind: 'gap' as const };
    const ground = focused && from + index === at ? ('selected' as const) : undefined;
    const edge = { text: ' │', tone: 'faint' as const };
    const line = (runs: Line): Line => [...fitLine(runs, inner, on('plain', ground)), edge];
    if (row.kind === 'gap') return line([{ text: ' ', tone: on('plain', ground) }]);
    if (row.kind === 'title') return line([{ text: ` ${row.text}`, tone: on('strong', ground) }]);
    if (row.kind === 'more') return line([{ text: `   ${row.count} more`, tone: on('faint', ground) }]);
    // The exact count, if there is room for it.
    const number = row.count < EXACT_BELOW ? grouped(row.count) : count(row.count);
    return line([
      { text: row.chosen ? ' • ' : '   ', tone: on('accent', ground) },
      {
        text: `${fit(clean(row.value) || '(none)', Math.max(1, inner - 4 - number.length))} `,
        tone: on(row.chosen ? 'strong' : row.count === 0 ? 'faint' : 'plain', ground),
      },
      { text: number, tone: on('muted', ground) },
    ]);
  });
}
