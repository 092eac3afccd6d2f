import { expect, it } from 'vitest';
import { createUndoHistory } from './undo.ts';

const good = (text: string) => ({ tone: 'good', text });
const notice = (text: string) => ({ tone: 'notice', text });

it('undoes the changes in reverse order and says which', async () => {
  const { record, undo } = createUndoHistory();
  const undone: string[] = [];
  record('Resolved group 1.', async () => undone.push('one'));
  record('Muted group 2.', async () => undone.push('two'));
  expect(await undo()).toEqual(good('Undone: Muted group 2.'));
  expect(await undo()).toEqual(good('Undone: Resolved group 1.'));
  expect(await undo()).toEqual(notice('There is no change to undo.'));
  expect(undone).toEqual(['two', 'one']);
});

it('names a change that cannot be undone, instead of undoing the one before', async () => {
  const { record, undo } = createUndoHistory();
  record('Resolved group 1.', () => Promise.reject(new Error('undone')));
  record('Changed 200 groups.', null);
  expect(await undo()).toEqual(notice('This change cannot be undone: Changed 200 groups.'));
});

it('does not repeat an undo that failed', async () => {
  const { record, undo } = createUndoHistory();
  record('Resolved group 1.', () => Promise.reject(new Error('offline')));
  await expect(undo()).rejects.toThrow('offline');
  expect(await undo()).toEqual(notice('There is no change to undo.'));
});
