import { useEffect } from 'react';
import { text } from '../text/common.ts';

/** Sets the title of the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? text.product : `${title} · ${text.product}`;
  }, [title]);
}
