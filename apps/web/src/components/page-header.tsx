import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

/** The heading of a page, and what belongs beside it. */
export function PageHeader({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useTitle(title);
  return (
    <header className="page-header">
      <h1>{title}</h1>
      {children}
    </header>
  );
}
