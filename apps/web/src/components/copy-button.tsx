import { text } from '../text/common.ts';
import { useToasts } from './toasts.tsx';

/** Copies a text. */
export function CopyButton({ value, label = text.actions.copy }: { readonly value: string; readonly label?: string }) {
  const { say } = useToasts();
  const copy = (): void => {
    // A page without TLS has no clipboard.
    const copied = navigator.clipboard?.writeText(value) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => say({ text: text.actions.copied }),
      () => say({ text: text.actions.notCopied }, 'bad'),
    );
  };
  return (
    <button type="button" className="button" onClick={copy}>
      {label}
    </button>
  );
}
