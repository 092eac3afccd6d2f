// Labels as they are typed: `site=north, tier`; for many agents `site=north, -tier` adds and takes away. Pure.
import { AgentLabels } from '@quarterdeck/core';

/** Labels by name; a label without a value has the empty text. */
export type Labels = Readonly<Record<string, string>>;

/** Labels, or what is wrong with what was typed. */
export type LabelsRead = { readonly labels: Labels } | { readonly problem: string };

const escaped = (text: string): string => text.replaceAll(/[\\,]|^ | $/g, '\\$&');

/** Labels as one types them, in the order of their names. */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${escaped(value)}`))
    .join(', ');

/** The parts between commas, blanks around them left out but for those behind a backslash. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  // Up to where a blank at the end is meant.
  let kept = 0;
  const end = (): void => {
    const whole = part.slice(0, kept) + part.slice(kept).trimEnd();
    if (whole !== '') parts.push(whole);
    part = '';
    kept = 0;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === ',') end();
    else if (character === '\\' && at + 1 < text.length) {
      at += 1;
      part += text[at] ?? '';
      kept = part.length;
    } else if (character !== ' ' || part !== '') part += character;
  }
  end();
  return parts;
}

function checked(labels: Labels): LabelsRead {
  const read = AgentLabels.safeParse(labels);
  if (read.success) return { labels: read.data };
  const issue = read.error.issues[0];
  const inner = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  const name = issue?.path[0];
  return { problem: name === undefined ? `${inner}.` : `The label "${String(name)}" ${inner}.` };
}

const pairOf = (part: string): [name: string, value: string] => {
  const at = part.indexOf('=');
  return at === -1 ? [part.trimEnd(), ''] : [part.slice(0, at).trimEnd(), part.slice(at + 1)];
};

/** Reads labels. */
export const readLabels = (text: string): LabelsRead => checked(Object.fromEntries(partsOf(text).map(pairOf)));

/** What is to become of the labels of many agents. */
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
