// Limits the new names of hosts and services that lines over HTTP bring: each makes a source or groups of its own.

import { fingerprint, isChosen } from '@quarterdeck/core/fingerprint';
import { LineWarnings, OTHER_NAME, SenderNames } from '@quarterdeck/intake';
import type { Sender, SentLine, StoredNames } from '@quarterdeck/store';
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
    const { from } = batch;
    if (from === undefined) return batch;
    let lines: SentLine[] = [];
    let fingerprints: string[] = [];
    const replaced = new Set<string>();
    const senders = new Map<string, Sender>();
    let [first, count] = [-1, 0];
    for (let i = 0; i < batch.lines.length; i += 1) {
      const { line, sender } = batch.lines[i] as SentLine;
      const isNamed = sender.agentId === undefined && sender.name !== from.name;
      const host = isNamed ? this.#hosts.admit(from.credential, sender.name, nowS) : sender.name;
      const service = line.service && this.#services.admit(from.credential, line.service, nowS);
      if (host === sender.name && service === line.service) continue;
      if (host !== sender.name) replaced.add('host');
      if (service !== line.service) replaced.add('service');
      if (count === 0) [first, lines, fingerprints] = [i, [...batch.lines], [...batch.fingerprints]];
      count += 1;
      lines[i] = {
        line: service === undefined ? line : { ...line, service },
        sender: host === sender.name ? sender : otherSender(senders, sender),
      };
      // A fingerprint that a program chose stays.
      if (!isChosen(fingerprints[i] ?? '')) fingerprints[i] = fingerprint(line.log, service);
    }
    if (count === 0) return batch;
    this.others += count;
    const warnings = new LineWarnings(batch);
    const message = `Too many new names within an hour: ${count} lines are stored under ${OTHER_NAME}`;
    warnings.add(indexInBatch(first, batch.refused), [...replaced], message, count);
    return { ...batch, lines, fingerprints, ...warnings.take() };
  }
}

/** Returns the sender of lines of further hosts, one object for each node. */
function otherSender(known: Map<string, Sender>, { nodeType, nodeId, credential = '' }: Sender): SentLine['sender'] {
  const key = `${nodeType},${nodeId}`;
  const sender = known.get(key) ?? { nodeType, nodeId, name: OTHER_NAME, address: '', credential };
  known.set(key, sender);
  return sender;
}
