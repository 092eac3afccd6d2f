import type { ReactNode } from 'react';

/** A link to another site. Addresses come from rules and senders: any but http and https is shown as text. */
export function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const protocol = URL.canParse(href) ? new URL(href).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    return (
      <>
        {children}: <span className="mono">{href}</span>
      </>
    );
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
