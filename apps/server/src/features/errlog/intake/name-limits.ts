// Limits the new names of hosts and services that lines over HTTP bring: each makes a source or groups of its own.

import { fingerprint, isChosen } from '@quarterdeck/core/fingerprint';
import { LineWarnings, OTHER_NAME, SenderNames } from '@quarterdeck/intake';
import type { Sender, StoredNames } from '@quarterdeck/store';
import { type LineColumns, textOf } from '@quarterdeck/store/line-columns';
import { indexInBatch, type ReadBatch } from './packed-batch.ts';
import type { BodySender } from './senders.ts';

/** New types of items of one sender of Sentry in an hour: more than the protocol has. */
const NEW_TYPES_PER_HOUR = 32;

/** A credential proves who sends, so there is no limit for all of them together. */
const OPTIONS = { newPerHourInAll: Number.POSITIVE_INFINITY, onOther: () => {} };

/**
 * Admits known names, and of each credential a limited number of new ones an hour. A writer has one, because all
 * batches pass the writer, whichever thread has parsed them.
 */
export class NameLimits {
  readonly #hosts = new SenderNames(OPTIONS);
  readonly #services = new SenderNames(OPTIONS);
  readonly #itemTypes = new SenderNames({ ...OPTIONS, newPerHour: NEW_TYPES_PER_HOUR });

  /** Names of before a restart are known. */
  isReady = false;

  /** Number of lines whose host or service was replaced by `other`. */
  others = 0;

  /** Makes names known that senders gave before. */
  know({ hosts, services }: StoredNames): void {
    this.#hosts.know(hosts);
    this.#services.know(services);
    this.isReady = true;
  }

  /** Returns the batch with the names under which it is stored. `nowS` is in Unix seconds. */
  apply(batch: ReadBatch, nowS: number): ReadBatch {
    const { from, omitted } = batch;
    if (from === undefined) return batch;
    if (omitted !== undefined) return this.#applyToLines({ ...batch, omitted: this.#types(from, omitted, nowS) }, nowS);
    return this.#applyToLines(batch, nowS);
  }

  #types({ credential }: BodySender, omitted: Readonly<Record<string, number>>, nowS: number): Record<string, number> {
    const admitted: Record<string, number> = {};
    for (const [type, items] of Object.entries(omitted)) {
      const name = this.#itemTypes.admit(credential, type, nowS);
      admitted[name] = (admitted[name] ?? 0) + items;
    }
    return admitted;
  }

  #applyToLines(batch: ReadBatch, nowS: number): ReadBatch {
    const { from, lines } = batch;
    if (from === undefined) return batch;
    const others = new Map<string, Sender>();
    const senders = lines.senders.map((sender) => {
      const isNamed = sender.agentId === undefined && sender.name !== from.name;
      const host = isNamed ? this.#hosts.admit(from.credential, sender.name, nowS) : sender.name;
      return host === sender.name ? sender : otherSender(others, sender);
    });
    const services = lines.services.map((name) => name && this.#services.admit(from.credential, name, nowS));
    if (areSame(senders, lines.senders) && areSame(services, lines.services)) return batch;
    const hasHost = (i: number) => isSameAt(senders, lines.senders, lines.senderOf[i]);
    const hasService = (i: number) => isSameAt(services, lines.services, lines.serviceOf[i]);
    const indexes = [...lines.levels.keys()].filter((i) => !hasHost(i) || !hasService(i));
    const [first = 0] = indexes;
    const { length: count } = indexes;
    this.others += count;
    const withoutService = indexes.filter((i) => !hasService(i));
    const replaced = [...(indexes.every(hasHost) ? [] : ['host']), ...(withoutService.length === 0 ? [] : ['service'])];
    const warnings = new LineWarnings(batch);
    const message = `Too many new names within an hour: ${count} lines are stored under ${OTHER_NAME}`;
    warnings.add(indexInBatch(first, batch.refused), replaced, message, count);
    return { ...batch, lines: { ...lines, senders, services, ...printsOf(lines, withoutService) }, ...warnings.take() };
  }
}

const areSame = (names: readonly unknown[], before: readonly unknown[]): boolean =>
  names.every((name, i) => name === before[i]);

const isSameAt = (names: readonly unknown[], before: readonly unknown[], i = 0): boolean => names[i] === before[i];

/** Fingerprints of lines of which some have another service now. One that a program chose stays. */
function printsOf(lines: LineColumns, changed: readonly number[]): Pick<LineColumns, 'prints' | 'printOf'> {
  const prints = [...lines.prints];
  const printOf = lines.printOf.slice();
  for (const i of changed) {
    if (isChosen(prints[printOf[i] as number] as string)) continue;
    printOf[i] = prints.push(fingerprint(textOf(lines, i), OTHER_NAME)) - 1;
  }
  return { prints, printOf };
}

/** Returns the sender of lines of further hosts, one object for each node. */
function otherSender(known: Map<string, Sender>, { nodeType, nodeId, credential = '' }: Sender): Sender {
  const key = `${nodeType},${nodeId}`;
  const sender = known.get(key) ?? { nodeType, nodeId, name: OTHER_NAME, address: '', credential };
  known.set(key, sender);
  return sender;
}
