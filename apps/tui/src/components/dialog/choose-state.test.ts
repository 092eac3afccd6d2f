import { expect, it } from 'vitest';
import { matchChoices } from './choose-state.ts';

const CHOICES = [
  { id: '1', text: 'Scale the chart', group: 'Everywhere' },
  { id: '2', text: 'Go to the rule of this alert', word: 'alert-rule', group: 'Alerts' },
  { id: '3', text: 'Go to the alerts: what fires now', word: 'alerts', group: 'Everywhere' },
  { id: '4', text: 'Alert again', group: 'Everywhere' },
];

it.each([
  ['ale', '3 2 4 1'],
  ['ALERT-R', '2'],
  ['', '1 2 3 4'],
  ['go to the al', '3 2'],
])('finds by %s what begins with it first', (text, ids) => {
  expect(
    matchChoices(CHOICES, text)
      .map(({ id }) => id)
      .join(' '),
  ).toBe(ids);
});
