import { copyText } from '../text/copy.ts';
import { Button } from './button.tsx';
import { useToasts } from './toasts.tsx';

export function CopyButton({ value, label = copyText.copy }: { readonly value: string; readonly label?: string }) {
  const { say } = useToasts();
  const copy = (): void => {
    // A page without TLS has no clipboard.
    const copied = navigator.clipboard?.writeText(value) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => say({ text: copyText.copied }),
      () => say({ text: copyText.notCopied }, 'bad'),
    );
  };
  return <Button onClick={copy}>{label}</Button>;
}
