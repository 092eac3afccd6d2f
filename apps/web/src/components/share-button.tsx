import { lazy, Suspense, useState } from 'react';
import { text } from '../text/common.ts';
import { Button } from './button.tsx';
import type { LinkSubject } from './share-dialog.tsx';

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

/** Opens the dialog of read-only links. */
export function ShareButton({ subject }: { readonly subject: LinkSubject }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text.link.share}</Button>
      {isOpen && (
        <Suspense>
          <ShareDialog subject={subject} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
