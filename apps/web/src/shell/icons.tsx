// Icons of the navigation: strokes on a grid of 16.
const PATHS = {
  overview: 'M2.5 2.5h4.5v6h-4.5zM9 2.5h4.5v3.5h-4.5zM9 8h4.5v5.5h-4.5zM2.5 10.5h4.5v3h-4.5z',
  errors: 'M8 2.2 14.2 13.2H1.8zM8 6.4v3.2M8 11.3v.4',
  lines: 'M2.5 4h11M2.5 8h8M2.5 12h10',
  hosts: 'M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.8h.2M5 11.2h.2',
  changes: 'M8 1.8v3.6M8 10.6v3.6M8 5.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2',
  tokens: 'M10.2 2.4a3.4 3.4 0 1 1-2.6 5.6L2.6 13v.6h2.2v-1.6h1.6v-1.6l1.4-1.4',
  account: 'M8 2.4a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M2.6 13.8c.6-2.6 2.6-3.8 5.4-3.8s4.8 1.2 5.4 3.8',
  more: 'M3.2 8h.2M8 8h.2M12.8 8h.2',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text that says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
