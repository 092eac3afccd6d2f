// The open dialog. Prompts are elsewhere: they have their own row in the frame.
import type { ReactElement } from 'react';
import type { Dialog } from '../../context/dialog.ts';
import type { Area } from '../geometry.ts';
import { ChooseView } from './choose-view.tsx';
import { ConfirmView } from './confirm-view.tsx';
import { FormDialogView } from './form-dialog-view.tsx';
import { ScanView } from './scan-view.tsx';
import { SecretView } from './secret-view.tsx';
import { TextView } from './text-view.tsx';

interface DialogViewProps extends Area {
  readonly dialog: Dialog;
}

/** Renders the dialog in the middle of the area. */
export function DialogView({ dialog, ...area }: DialogViewProps): ReactElement | null {
  switch (dialog.kind) {
    case 'confirm':
      return <ConfirmView dialog={dialog} {...area} />;
    case 'form':
      return <FormDialogView dialog={dialog} {...area} />;
    case 'secret':
      return <SecretView dialog={dialog} {...area} />;
    case 'scan':
      return <ScanView dialog={dialog} {...area} />;
    case 'text':
      return <TextView dialog={dialog} {...area} />;
    case 'choose':
      return <ChooseView dialog={dialog} {...area} />;
    case 'prompt':
      return null;
  }
}
