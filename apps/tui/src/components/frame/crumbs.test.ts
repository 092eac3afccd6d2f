import { expect, it } from 'vitest';
import { crumbLine } from './crumbs.tsx';

const TITLES = ['Overview', 'Errors', 'Agents', 'Tokens', 'Users', 'Audit', 'Account', 'Lines', 'Changes'];
const tabs = (open: string) =>
  [...TITLES, 'Enrollment']
    .map((title, index) => ({ key: index < 9 ? String(index + 1) : '', title, open: title === open }))
    .filter(({ key, open: isOpen }) => key !== '' || isOpen);
const text = (width: number, open: string, crumbs: readonly string[] = []): string =>
  crumbLine(tabs(open), crumbs, width, { menuKey: 'g' })
    .map((run) => run.text)
    .join('');

it.each([
  [60, 'Errors', [], '2 Errors'],
  [80, 'Errors', [], '1 [2 Errors] 3 4 5 6 7 8 9 g screens'],
  [80, 'Enrollment', [], '1 2 3 4 5 6 7 8 9 [Enrollment] g screens'],
  [100, 'Errors', [], '1 Overview  [2 Errors] 3 Agents  4 Tokens  5 6 7 8 9 g screens'],
  [80, 'Agents', ['edge-fra-1', 'summary'], '3 Agents › edge-fra-1 › summary'],
  [100, 'Agents', ['edge-fra-1', 'summary'], '1 2 [3 Agents › edge-fra-1 › summary] 4 5 6 7 8 9 g screens'],
  [140, 'Errors', [], '1 Overview  [2 Errors] 3 Agents  4 Tokens  5 Users  6 Audit  7 Account  8 Lines  9 Changes '],
])('shows at %i columns on %s the screens that fit beside the filters', (width, open, crumbs, shown) => {
  expect(text(width, open, crumbs)).toBe(shown);
});

it('shows only the position to a screen reader', () => {
  const line = crumbLine(tabs('Errors'), [], 140, { menuKey: 'g', namesAll: false });
  expect(line.map((run) => run.text).join('')).toBe('2 Errors');
});
