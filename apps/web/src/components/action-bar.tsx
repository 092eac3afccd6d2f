import './action-bar.css';
import type { ReactNode } from 'react';

/** The actions of a page: above the navigation of a phone, in the reach of a thumb. */
export const ActionBar = ({ children }: { readonly children: ReactNode }) => (
  <div className="action-bar">{children}</div>
);
