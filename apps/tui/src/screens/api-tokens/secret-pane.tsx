// The secret of a new token, once. It is held by the screen's state while this is open, and by nothing afterwards.
import { type ReactElement, useState } from 'react';
import { Pane } from '../../components/pane.tsx';
import { Text } from '../../components/text.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { wrap } from '../../text/width.ts';

/** Rows the pane takes, with its title. */
export const SECRET_ROWS = 9;

interface SecretPaneProps {
  readonly name: string;
  readonly secret: string;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}

/** The secret, docked below the list. */
export function SecretPane({ name, secret, width, height, onClose }: SecretPaneProps): ReactElement {
  const { copy } = useDashboard();
  const [copied, setCopied] = useState(false);
  useCommands('secret', {
    copy() {
      copy(secret);
      setCopied(true);
    },
    close: () => onClose(),
  });
  return (
    <Pane title={`Secret of ${name}`} tone="title" width={width} height={height}>
      <Text>This is the only time it is shown. Store it before you close this.</Text>
      <Text> </Text>
      {wrap(secret, width - 2).map((row) => (
        <Text key={row} tone="strong">
          {row}
        </Text>
      ))}
      <Text> </Text>
      {copied ? (
        <>
          <Text tone="good">Sent to the clipboard of your terminal (OSC 52).</Text>
          <Text tone="muted">Nothing there? Your terminal does not allow it: select the text instead.</Text>
        </>
      ) : (
        <Text tone="muted">y copies it. Esc closes this and forgets it.</Text>
      )}
    </Pane>
  );
}
