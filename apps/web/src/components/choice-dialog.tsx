import './choice-dialog.css';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** One of several things to choose. */
export interface Choice {
  readonly id: string;
  readonly text: string;
  readonly note?: string | undefined;
}

export interface ChoiceDialogProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly onChoose: (choice: Choice) => void;
  readonly onClose: () => void;
}

/** A dialog of buttons, one of which is chosen. */
export const ChoiceDialog = ({ title, choices, onChoose, onClose }: ChoiceDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <ul className="choices">
      {choices.map((choice) => (
        <li key={choice.id}>
          <Button onClick={() => onChoose(choice)}>
            {choice.text}
            {choice.note !== undefined && <span className="muted">{choice.note}</span>}
          </Button>
        </li>
      ))}
    </ul>
  </Dialog>
);
