// Compares files with a server. Pure: it reads and sends nothing.
import { nearest } from '@quarterdeck/core/plain';
import type { Values } from '../command/command.ts';
import { fieldsOfNoun, isHidden, isUsual, NOUN_NAMES, type Noun, type NounName, nounOf } from './nouns.ts';
import { type Entry, pathOf, problemOf } from './read-folder.ts';
import type { Existing } from './read-server.ts';
import { isSame } from './same.ts';

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /**
   * `shown`: both values. `hidden`: the values differ and are not shown. `sent`: nobody knows whether they differ,
   * and the value is sent with the others.
   */
  readonly how: 'shown' | 'hidden' | 'sent';
}

/** One change of the server. */
export type Step =
  | { readonly kind: 'create'; readonly entry: Entry }
  | {
      readonly kind: 'change';
      readonly entry: Entry;
      readonly existing: Existing;
      readonly changes: readonly FieldChange[];
    }
  | { readonly kind: 'delete'; readonly noun: NounName; readonly existing: Existing };

/** The changes that make a server as the files say, in an order that works; or what prevents that. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly problems: readonly string[];
}

/** Parts that a plan is made of. */
export interface PlanInput {
  readonly entries: readonly Entry[];
  /** Entries of the server, of the nouns that the plan is about. */
  readonly existing: ReadonlyMap<NounName, readonly Existing[]>;
  /** Names of all channels of the server by their ids, as they will be. */
  readonly channels: ReadonlyMap<number, string>;
  /** Decides whether an entry that no file has is deleted. */
  readonly isPruned: (noun: NounName, existing: Existing) => boolean;
  /** Sends every secret, also where nothing else changes. */
  readonly sendsSecrets: boolean;
}

/**
 * Compares a value that answers do not show. Of an address they show the origin, of other secrets whether there is
 * one; an empty secret removes it.
 */
function hiddenChange(field: string, after: unknown, { fields, secrets }: Existing): 'same' | 'hidden' | 'sent' {
  const before = fields[field];
  if (typeof before === 'string') {
    if (after === before) return 'same';
    return URL.canParse(String(after)) && new URL(String(after)).origin === before ? 'sent' : 'hidden';
  }
  if (secrets?.has(field) === false) return after === '' ? 'same' : 'hidden';
  return after === '' ? 'hidden' : 'sent';
}

/** Fields of an entry that differ from those on the server. */
export function changesOf(noun: Noun, entry: Entry, existing: Existing, sendsSecrets: boolean): FieldChange[] {
  const changes: FieldChange[] = [];
  if (entry.name !== existing.name) {
    changes.push({ field: noun.nameField, before: existing.name, after: entry.name, how: 'shown' });
  }
  const sent: FieldChange[] = [];
  for (const field of fieldsOfNoun(noun)) {
    const before = existing.fields[field];
    const after = entry.fields[field];
    // A field without a default that the file does not have stays, secrets among them: no request could remove it.
    if (after === undefined) continue;
    if (isHidden(noun, field, entry.fields)) {
      const how = hiddenChange(field, after, existing);
      if (how === 'hidden') changes.push({ field, before, after, how });
      if (how === 'sent') sent.push({ field, before, after, how });
    } else if (!isSame(before, after) && !(before === undefined && isUsual(noun, field, entry.fields))) {
      // An older server does not know the field, and behaves as if it were as usual.
      changes.push({ field, before, after, how: entry.secrets.has(field) ? 'hidden' : 'shown' });
    }
  }
  return changes.length > 0 || sendsSecrets ? [...changes, ...sent] : [];
}

/** Reports whether an entry of a file is about one of the server. */
const means = ({ noun, id, name }: Entry, other: NounName, existing: Existing): boolean =>
  noun === other && (id === undefined ? name === existing.name : id === existing.id);

export function planOf(input: PlanInput): Plan {
  const problems: string[] = [];
  const refuse = (entry: Entry, field: string, message: string) => problems.push(problemOf(entry, { field, message }));
  const puts: Step[] = [];
  const last: Step[] = [];
  const removals: Step[] = [];
  for (const name of NOUN_NAMES) {
    const existing = input.existing.get(name);
    if (existing === undefined) continue;
    const noun = nounOf(name);
    const entries = input.entries.filter((entry) => entry.noun === name);
    const { steps, kept } = planNoun(name, noun, entries, existing);
    (noun.isLast === true ? last : puts).push(...steps);
    const pruned = existing.filter((one) => !kept.has(one.id) && input.isPruned(name, one));
    // Entries that name others go before those that they name.
    removals.unshift(...pruned.map((one): Step => ({ kind: 'delete', noun: name, existing: one })));
    refuseDoubles(entries, existing, kept, pruned);
  }
  refuseUnknownChannels(removals);
  refuseUsedChannels(removals);
  return { steps: [...puts, ...removals, ...last], problems };

  function planNoun(name: NounName, noun: Noun, entries: readonly Entry[], existing: readonly Existing[]) {
    const steps: Step[] = [];
    const kept = new Map<number, Entry>();
    const named = new Set(entries.flatMap(({ id }) => (id === undefined ? [] : [id])));
    for (const entry of entries) {
      const found =
        entry.id === undefined
          ? existing.filter((one) => one.name === entry.name && !named.has(one.id))
          : existing.filter(({ id }) => id === entry.id);
      const [one, another] = found;
      if (another !== undefined) {
        const ids = found.map(({ id }) => id).sort((a, b) => a - b);
        refuse(entry, '', `is the name of several ${noun.unit}s, ids ${ids.join(', ')}: rename or delete all but one`);
      } else if (one === undefined) {
        const step = creation(noun, entry);
        if (step !== undefined) steps.push(step);
      } else if (kept.has(one.id)) refuse(entry, 'id', `is also that of ${pathOf(name, kept.get(one.id)?.name ?? '')}`);
      else {
        const changes = changesOf(noun, entry, one, input.sendsSecrets);
        refuseFixedFields(noun, entry, changes);
        if (changes.length > 0) steps.push({ kind: 'change', entry, existing: one, changes });
      }
      for (const { id } of found) kept.set(id, entry);
    }
    return { steps, kept };
  }

  function creation(noun: Noun, entry: Entry): Step | undefined {
    if (entry.id !== undefined) refuse(entry, 'id', `there is no ${noun.unit} with the id ${entry.id}`);
    else if (noun.createdBy === undefined) return { kind: 'create', entry };
    else refuse(entry, '', `does not exist. Create it: ${noun.createdBy(entry.name, entry.fields)}`);
    return undefined;
  }

  function refuseFixedFields(noun: Noun, entry: Entry, changes: readonly FieldChange[]): void {
    for (const { field, before, after, how } of changes) {
      if (field in noun.change.shape) continue;
      const values = how === 'shown' ? ` from ${String(before)} to ${String(after)}` : '';
      refuse(entry, field, `cannot be changed${values}. Use another name, which makes a new ${noun.unit}`);
    }
  }

  /** Refuses new names that other entries have and keep. */
  function refuseDoubles(
    entries: readonly Entry[],
    existing: readonly Existing[],
    kept: ReadonlyMap<number, Entry>,
    pruned: readonly Existing[],
  ): void {
    for (const entry of entries.filter(({ id }) => id !== undefined)) {
      const other = existing.find((one) => one.name === entry.name && !kept.has(one.id) && !pruned.includes(one));
      if (other !== undefined) refuse(entry, '', `is also the name of the ${nounOf(entry.noun).unit} ${other.id}`);
    }
  }

  /** Refuses to delete channels of rules that no file has: their alerts would reach nobody. */
  function refuseUsedChannels(removed: readonly Step[]): void {
    const deleted = removed.flatMap((step) => (step.kind === 'delete' ? [step] : []));
    for (const [name, existing] of input.existing) {
      const { channelsField } = nounOf(name);
      if (channelsField === undefined) continue;
      const staying = existing.filter(
        (one) =>
          !deleted.some((step) => step.existing === one) && !input.entries.some((entry) => means(entry, name, one)),
      );
      for (const step of deleted.filter(({ noun }) => noun === 'channels')) {
        for (const user of staying) {
          if (!(user.fields[channelsField] as readonly string[]).includes(step.existing.name)) continue;
          const [channel, path] = [pathOf('channels', step.existing.name), pathOf(name, user.name)];
          problems.push(`${channel}: cannot be deleted: ${path} (id ${user.id}), which no file has, sends to it`);
        }
      }
    }
  }

  /** Refuses names of channels that nobody or several will have. */
  function refuseUnknownChannels(removed: readonly Step[]): void {
    const gone = removed.flatMap((step) =>
      step.kind === 'delete' && step.noun === 'channels' ? [step.existing.id] : [],
    );
    const added = puts.flatMap((step) =>
      step.kind === 'create' && step.entry.noun === 'channels' ? [['new', step.entry.name] as const] : [],
    );
    const idsByName = new Map<string, (number | 'new')[]>();
    for (const [id, name] of [...[...input.channels].filter(([id]) => !gone.includes(id)), ...added]) {
      idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
    }
    for (const entry of input.entries) {
      const { channelsField } = nounOf(entry.noun);
      if (channelsField === undefined) continue;
      for (const name of entry.fields[channelsField] as readonly string[]) {
        const ids = idsByName.get(name) ?? [];
        if (ids.length === 1) continue;
        const meant = nearest(name, [...idsByName.keys()]);
        const hint = meant === undefined ? '' : `. Did you mean ${meant}?`;
        const why = ids.length > 1 ? `is the name of several channels, ids ${ids.join(', ')}` : `is no channel${hint}`;
        refuse(entry, channelsField, `${JSON.stringify(name)} ${why}`);
      }
    }
  }
}

/** The body of a request that changes fields, with their values of files. */
export const bodyOf = (changes: readonly FieldChange[]): Values =>
  Object.fromEntries(changes.map(({ field, after }) => [field, after]));
