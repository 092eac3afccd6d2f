// A QR code over the screen, with its key. It follows the size of the window.
import { type ReactElement, use } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { ScanDialog } from '../../context/dialog.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { BOX_EDGE, boxLines } from '../../theme/box.ts';
import { fitLine } from '../../theme/lines.ts';
import type { Area } from '../geometry.ts';
import { DrawingContext } from '../text.tsx';
import { Floating } from './floating.tsx';
import { scanLines } from './scan-lines.ts';

interface ScanViewProps extends Area {
  readonly dialog: ScanDialog;
}

/** Renders the code in a frame, or in the whole area where a frame takes too much room. */
export function ScanView({ dialog, width, height }: ScanViewProps): ReactElement {
  const { open, close, copy, say, keyOf } = useDashboard();
  const drawing = use(DrawingContext);
  const { title, secret, next } = dialog;
  useCommands('scan', {
    copy() {
      copy(secret);
      say({ tone: 'good', text: 'Copied.' });
    },
    next: () => open(next()),
    close: () => close(),
  });
  const hint = `${keyOf('scan.copy')} copies the key. ${keyOf('scan.next')} asks for the first code.`;
  const scan = scanLines({ ...dialog, hint }, { width, height, drawing });
  const isFramed = scan.lines.length + BOX_EDGE.rows <= height && scan.columns + BOX_EDGE.columns <= width;
  const columns = isFramed ? scan.columns + BOX_EDGE.columns : width;
  const lines = isFramed
    ? boxLines(scan.lines, { title, width: columns })
    : Array.from({ length: height }, (_, row) => fitLine(scan.lines[row] ?? [], width));
  return <Floating lines={lines} columns={columns} width={width} height={height} />;
}
