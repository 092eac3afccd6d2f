import './key-help.css';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { KEY_TABLE, type KeyCommand } from '../keys/use-keys.ts';
import { text } from '../text/common.ts';
import { keysText } from '../text/keys.ts';

const COMMANDS = Object.keys(KEY_TABLE) as readonly KeyCommand[];

/** The dialog that lists the keys. */
export const KeyHelp = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title={keysText.title} onClose={onClose}>
    <dl className="facts">
      {COMMANDS.map((command) => (
        <div key={command}>
          <dt>
            {KEY_TABLE[command].map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{keysText[command]}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog">
      <Button type="submit">{text.actions.close}</Button>
    </form>
  </Dialog>
);
