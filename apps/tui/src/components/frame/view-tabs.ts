// The saved views of a list in the second row. Pure.
import { clean } from '@quarterdeck/views/text';
import { width as widthOf } from '../../text/width.ts';
import { type Line, lineWidth, type Run } from '../../theme/lines.ts';

/** Returns the position with the views behind it, if there is room for them and for the filters. */
export function withViewTabs(left: Line, views: readonly Run[], chips: readonly Run[], width: number): Line {
  const chipsWidth = chips.reduce((sum, { text }) => sum + widthOf(clean(text)) + 2, 0);
  const fits = lineWidth(left) + 2 + lineWidth(views) + chipsWidth <= width - 4;
  return views.length > 0 && fits ? [...left, { text: '  ' }, ...views] : left;
}
