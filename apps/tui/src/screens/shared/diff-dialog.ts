// The changed lines of a configuration file.
import type { AgentEvent } from '@quarterdeck/core';
import { clean, cleanLines } from '@quarterdeck/views/text';
import type { TextDialog } from '../../context/dialog.ts';
import { wrap } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';

const TONES: Readonly<Record<string, BaseTone>> = { '+': 'good', '-': 'bad', '@': 'muted' };

function diffLines(diff: string, width: number): Line[] {
  return cleanLines(diff).flatMap((line) => {
    const tone = TONES[line.charAt(0)] ?? 'plain';
    return wrap(line, width).map((text): Line => [{ text, tone }]);
  });
}

/** Describes the changed lines of a file as a dialog. */
export function diffDialog({ field }: Pick<AgentEvent, 'field'>, diff: string): TextDialog {
  return {
    kind: 'text',
    title: clean(field),
    lines: (width) => diffLines(diff, width),
    copy: cleanLines(diff).join('\n'),
  };
}
