import type { Change } from '@quarterdeck/sdk';

/** A change in a sentence: `deploy shop 1.4.1 → 1.4.2`. */
export const changeTitle = ({ kind, name, before, after }: Change): string =>
  `${kind} ${name}${before === '' && after === '' ? '' : ` ${before === '' ? '' : `${before} `}→ ${after}`}`;
