// Labels as text: `site=north, tier`. For several agents `site=north, -tier` adds and removes. Pure.
import { AgentLabels, plainMessage } from '@quarterdeck/core';

/** Labels by name; a label without a value has the empty text. */
export type Labels = Readonly<Record<string, string>>;

/** Labels, or the problem of the text. */
export type LabelsRead = { readonly labels: Labels } | { readonly problem: string };

/** Labels as text, in the order of their names. */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join(', ');

/** The parts between commas, which no value may contain. */
const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function checked(labels: Labels): LabelsRead {
  const read = AgentLabels.safeParse(labels, { error: plainMessage });
  if (read.success) return { labels: read.data };
  const issue = read.error.issues[0];
  const name = issue?.path[0];
  return { problem: name === undefined ? `${issue?.message}.` : `The label "${String(name)}" ${issue?.message}.` };
}

const pairOf = (part: string): [name: string, value: string] => {
  const at = part.indexOf('=');
  return at === -1 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
};

export const readLabels = (text: string): LabelsRead => checked(Object.fromEntries(partsOf(text).map(pairOf)));

/** A change of the labels of several agents. */
export interface LabelChange {
  readonly add: Labels;
  readonly remove: readonly string[];
}

/** Reads a change of labels. */
export function readLabelChange(text: string): LabelChange | { readonly problem: string } {
  const parts = partsOf(text);
  const remove = parts.filter((part) => part.startsWith('-')).map((part) => part.slice(1).trim());
  const add = checked(Object.fromEntries(parts.filter((part) => !part.startsWith('-')).map(pairOf)));
  return 'problem' in add ? add : { add: add.labels, remove };
}

/** Labels after a change. */
export function changedLabels(labels: Labels, { add, remove }: LabelChange): Labels {
  const kept = Object.entries(labels).filter(([name]) => !remove.includes(name));
  return { ...Object.fromEntries(kept), ...add };
}
