// Prints a plan for people. Secrets are never in it.
import type { Values } from '../command/command.ts';
import { fieldsOfNoun, isHidden, isUsual, nounOf } from './nouns.ts';
import type { FieldChange, Step } from './plan.ts';
import { pathOf } from './read-folder.ts';
import { isSame } from './same.ts';
import { SECRET } from './secrets.ts';

const NONE = '(none)';

const valueText = (value: unknown): string =>
  value === undefined || value === null ? NONE : Array.isArray(value) ? listText(value) : JSON.stringify(value);

const listText = (list: readonly unknown[]): string => `[${list.map((one) => JSON.stringify(one)).join(', ')}]`;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lines of a field that changes; of an object, those of its members that change. */
export function changeLines({ field, before, after, how }: FieldChange): string[] {
  if (how !== 'shown') return [`${field}: (secret, ${how === 'hidden' ? 'changed' : 'sent again'})`];
  if (!isObject(before ?? {}) || !isObject(after ?? {}))
    return [`${field}: ${valueText(before)} -> ${valueText(after)}`];
  const old = (before ?? {}) as Values;
  const fresh = (after ?? {}) as Values;
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .filter((name) => old[name] !== fresh[name])
    .map((name) => `${field}.${name}: ${valueText(old[name])} -> ${valueText(fresh[name])}`);
}

/** Lines of the fields of a new entry that are not as usual. */
function creationLines({ entry }: Extract<Step, { kind: 'create' }>): string[] {
  const noun = nounOf(entry.noun);
  return fieldsOfNoun(noun).flatMap((field) => {
    const value = entry.fields[field];
    if (isSame(value, undefined) || isUsual(noun, field, entry.fields)) return [];
    if (entry.secrets.has(field) || isHidden(noun, field, entry.fields)) return [`${field}: ${SECRET}`];
    if (!isObject(value)) return [`${field}: ${valueText(value)}`];
    return Object.entries(value).map(([name, member]) => `${field}.${name}: ${valueText(member)}`);
  });
}

/** Name of an entry in messages: `alerts."new errors"`. */
export const stepPath = (step: Step): string =>
  step.kind === 'delete' ? pathOf(step.noun, step.existing.name) : pathOf(step.entry.noun, step.entry.name);

function stepText(step: Step): string {
  const path = stepPath(step);
  if (step.kind === 'delete') return `- ${path} (id ${step.existing.id})\n`;
  const [head, lines] =
    step.kind === 'create'
      ? [`+ ${path}`, creationLines(step)]
      : [`~ ${path} (id ${step.existing.id})`, step.changes.flatMap(changeLines)];
  return [head, ...lines.map((line) => `    ${line}`)].map((line) => `${line}\n`).join('');
}

/** The plan: an entry with its fields for each change. */
export const planText = (steps: readonly Step[]): string => steps.map(stepText).join('');

/** The plan in a sentence: `2 to create, 1 to change`. */
export const planSummary = (steps: readonly Step[]): string =>
  (['create', 'change', 'delete'] as const)
    .map((kind) => ({ kind, count: steps.filter((step) => step.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} to ${kind}`)
    .join(', ');
