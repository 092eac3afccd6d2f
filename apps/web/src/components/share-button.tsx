import { lazy, Suspense, useState } from 'react';
import { text } from '../text/common.ts';
import type { LinkSubject } from './share-dialog.tsx';

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

/** Opens the dialog of read-only links. */
export function ShareButton({ subject }: { readonly subject: LinkSubject }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {text.link.share}
      </button>
      {isOpen && (
        <Suspense>
          <ShareDialog subject={subject} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
