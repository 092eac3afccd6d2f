// Defects to plant: each must break a promise within some seeds. The text of a module changes when it is loaded; the
// files on the disk stay as they are.
import { registerHooks } from 'node:module';

/** File, its text, and what replaces it. */
type Change = readonly [file: string, found: string, instead: string];

const AGENT = '/apps/agent/src';
const FEATURES = '/apps/server/src/features';
const WRITER = `${FEATURES}/errlog/intake/batch-writer.ts`;
const QUEUE = '/packages/core/src/db/sqlite/write-queue.ts';
const SENDING = `${FEATURES}/webhook/sending.repo.ts`;
const TOKENS = `${FEATURES}/api-token/api-token.service.ts`;
const IDENTIFY = '/apps/server/src/http/identify.ts';

/** Defect -> its changes. */
export const DEFECTS: Readonly<Record<string, readonly Change[]>> = {
  // The agent: its disk, its order, its keys.
  'file-not-synced': [[`${AGENT}/files/durable-file.ts`, 'await file.sync();', '']],
  'folder-not-synced': [[`${AGENT}/files/durable-file.ts`, 'await folder.sync();', '']],
  'removed-before-answer': [
    [
      `${AGENT}/ship/sender.ts`,
      "const waitMs = batch === 'damaged'",
      "const lines = await spool.removeFirst(); const waitMs = batch === 'damaged'",
    ],
    [`${AGENT}/ship/sender.ts`, 'const lines = await spool.removeFirst();\n    if', 'if'],
  ],
  'key-for-each-attempt': [
    [
      `${AGENT}/ship/sender.ts`,
      'ship(enrollment, batch, signal)',
      'ship(enrollment, { ...batch, key: crypto.randomUUID() }, signal)',
    ],
  ],
  'position-before-batch': [
    [
      `${AGENT}/ship/spool.ts`,
      "await writeDurably(this.#path(number, 'batch'), content, undefined, this.#disk);",
      `await writeDurably(this.#path(number, 'done'), packBatch({ key: '', lines: 0, body: Buffer.alloc(0) }, positions, this.#numbers), undefined, this.#disk);
       await writeDurably(this.#path(number, 'batch'), content, undefined, this.#disk);`,
    ],
  ],
  'newest-batch-first': [[`${AGENT}/ship/spool.ts`, '.sort()) {', '.sort().reverse()) {']],
  'losses-forgotten-at-start': [[`${AGENT}/ship/spool.ts`, 'this.#dropped = this.#numbers.dropped;\n      for', 'for']],
  // The intake: durability, receipts, answers.
  'answered-before-sync': [
    [QUEUE, 'this.#log.sync().then(answer, refuse)', '(answer(), this.#log.sync()).then(() => {}, refuse)'],
  ],
  'failed-sync-ignored': [[QUEUE, 'this.#logHasGap = true;', '']],
  'failed-write-answered': [
    [
      WRITER,
      'for (const { batch } of some) outcomes.push({ id: batch.id, error });',
      'for (const one of some) outcomes.push({ id: one.batch.id, answer: answerOf(one) });',
    ],
  ],
  'receipt-not-stored': [
    [WRITER, 'if (key === undefined || isRefused(prepared))', 'if (key !== undefined || isRefused(prepared))'],
  ],
  'receipt-of-the-token': [
    [
      `${FEATURES}/errlog/errlog.service.ts`,
      'key: readKey(header) }',
      "key: readKey(header) + ('credential' in actor ? actor.credential.id : '') }",
    ],
  ],
  'refused-lines-acknowledged': [
    [
      WRITER,
      'return { accepted: sizeOf(lines), refused,',
      'return { accepted: sizeOf(lines) + refused.length, refused,',
    ],
  ],
  // The ledger.
  'ledger-gap-of-one': [
    ['/packages/store/src/write/ledger-notes.ts', 'number <= known.number)', 'number <= known.number + 1)'],
  ],
  'ledger-losses-twice': [
    ['/packages/store/src/write/ledger-notes.ts', 'dropped[stage] - (lost[stage] ?? 0)', 'dropped[stage]'],
  ],
  // Announcements and alerts: positions and messages that must be stored together.
  'announced-before-event': [
    [
      `${FEATURES}/errlog/errlog.announcer.ts`,
      'await db.write(async (tx) => {\n        const isCurrent',
      'if (newest > 0) await db.write((tx) => storeAnnounced(tx, newest));\n      await db.write(async (tx) => {\n        const isCurrent',
    ],
  ],
  'missed-not-announced': [
    [
      `${FEATURES}/errlog/errlog.announcer.ts`,
      'announced === undefined ? [] : await groupsAfter(tx, announced, ANNOUNCED_MAX + 1)',
      '[] as number[]',
    ],
  ],
  'unknown-write-ignored': [[`${FEATURES}/errlog/errlog.service.ts`, 'announcer.noteUnknown', '() => {}']],
  'feed-position-before-message': [
    [
      `${FEATURES}/webhook/webhook.feed.ts`,
      'await db.write(async (tx) => {',
      'if (!(await db.write((tx) => moveFeed(tx, row.id, row.eventId, last.id)))) return true;\n    await db.write(async (tx) => {',
    ],
    [`${FEATURES}/webhook/webhook.feed.ts`, 'if (!(await moveFeed(tx, row.id, row.eventId, last.id))) return;', ''],
  ],
  'alert-before-message': [
    [`${FEATURES}/alert/store-outcomes.ts`, 'await queueAddressed(tx, messages, nowMs);', ''],
    [
      `${FEATURES}/alert/store-outcomes.ts`,
      'return { fired: fired.length, resolved: resolved.length };',
      'return { fired: fired.length, resolved: resolved.length, messages } as never;',
    ],
    [
      `${FEATURES}/alert/round.ts`,
      'stats.fired += notified?.fired ?? 0;',
      `if (notified) await db.write((tx) => queueAddressed(tx, (notified as never as { messages: never[] }).messages, now()));
    stats.fired += notified?.fired ?? 0;`,
    ],
    [
      `${FEATURES}/alert/round.ts`,
      "import { type Outcome, storeOutcomes } from './store-outcomes.ts';",
      "import { queueAddressed } from '../webhook/queue-messages.ts';\nimport { type Outcome, storeOutcomes } from './store-outcomes.ts';",
    ],
  ],
  // Deliveries.
  'delivered-before-attempt': [
    [
      `${FEATURES}/webhook/webhook.sender.ts`,
      'const outcome = recalled.aborted ? undefined : await attempt(sending, recalled);\n    if (outcome !== undefined) await storeSurely(sending, outcome);',
      'await storeSurely(sending, { ok: true, status: 200 });\n    await attempt(sending, recalled);',
    ],
  ],
  'messages-by-time': [
    [SENDING, "state = 'waiting' ORDER BY id LIMIT 1`,\n);", "state = 'waiting' ORDER BY next_ms, id LIMIT 1`,\n);"],
  ],
  'timeout-is-success': [
    [`${FEATURES}/webhook/webhook.sender.ts`, 'resolve({ ok: false, status: null,', 'resolve({ ok: true, status: 200,'],
  ],
  // Revocation.
  'token-kept-in-memory': [
    [
      '/apps/server/src/http/credential.repo.ts',
      'sql.get<TokenCredential>(API_TOKEN(hashes), ...hashes);',
      `{
    const key = String(hashes[0]);
    const known = kept.get(key);
    if (known !== undefined && performance.now() - known.ms < 3_000) return known.row;
    const row = sql.get<TokenCredential>(API_TOKEN(hashes), ...hashes);
    kept.set(key, { row, ms: performance.now() });
    return row;
  };
const kept = new Map<string, { row: Promise<TokenCredential | undefined>; ms: number }>();`,
    ],
  ],
  'disabled-token-accepted': [[IDENTIFY, 'row.disabled === 1', 'false']],
  'grace-without-end': [[IDENTIFY, 'row.graceUntilMs > now()', 'row.graceUntilMs > 0']],
  'revoked-after-answer': [
    [
      TOKENS,
      'remove: (call) => change(call, (tx, row) => remove(tx, call, row)),',
      'remove: async (call) => { setTimeout(() => void change(call, (tx, row) => remove(tx, call, row)).catch(() => {}), 5); return undefined; },',
    ],
  ],
};

/** Plants a defect in the modules that are loaded from now on. */
export function plant(name: string): void {
  const changes = DEFECTS[name];
  if (changes === undefined)
    throw new Error(`Unknown defect. These can be planted: ${Object.keys(DEFECTS).join(', ')}`);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const here = changes.filter(([file]) => url.endsWith(file));
      if (here.length === 0) return loaded;
      let source = String(loaded.source);
      for (const [file, found, instead] of here) {
        if (!source.includes(found))
          throw new Error(`The text to change is not in ${file}. Update test/sim/defects.ts.`);
        source = source.replace(found, () => instead);
      }
      return { ...loaded, source };
    },
  });
}
