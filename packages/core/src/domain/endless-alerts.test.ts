import { expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { ALERT_KIND_NAMES, alertKind } from './alert-kinds.ts';
import { hasEnd } from './endless-alerts.ts';

it.each(nonEmpty(ALERT_KIND_NAMES))('alerts of the kind %s end as its table says', (kind) => {
  expect(hasEnd(kind)).toBe(alertKind(kind).ends);
});
