// The noun `webhook`: channels that messages go to, and their deliveries.
import {
  AppError,
  type contract,
  DELIVERY_PAGE_MAX,
  type Service,
  sliceOf,
  type UserActor,
  WEBHOOKS_MAX,
  type Webhook,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { authorOf } from '../../auth/author.repo.ts';
import { requirePermissions } from '../../auth/require-permissions.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { feedNeeds, readWithheld, requireAllOf, requireMessage, shownDelivery } from './channel-rights.ts';
import {
  findDelivery,
  listDeliveries,
  newestDelivery,
  removeDeliveries,
  retryNow,
  toDelivery,
  waitAgain,
} from './delivery.repo.ts';
import type { WebhookNeeds } from './needs.ts';
import { queueMessages } from './queue-messages.ts';
import {
  countsOf,
  countWebhooks,
  createWebhook,
  findWebhook,
  listWebhooks,
  lockWebhook,
  newestEventId,
  removeWebhook,
  updateWebhook,
  type WebhookRow,
} from './webhook.repo.ts';
import { newWebhookSecret, sealPart, sealSettings } from './webhook.secrets.ts';
import { auditView, toWebhook, words } from './webhook.view.ts';
import { changedColumns, checkFields, joined, settingsAfter } from './webhook-rules.ts';

/** Deliveries that one write removes. */
const SLICE = 500;

interface Call extends CallContext {
  readonly actor: UserActor;
}
interface CallById extends Call {
  readonly params: { readonly id: number };
}

export function webhookService({
  db,
  key,
  audit,
  now,
  transports,
}: WebhookNeeds): Service<(typeof contract)['webhook'], CallContext> {
  async function showAll(tx: Tx, rows: readonly WebhookRow[]): Promise<Webhook[]> {
    const counts = await countsOf(
      tx,
      rows.map(({ id }) => id),
    );
    const withheldOf = await readWithheld(tx, rows);
    return rows.map((row) => toWebhook(key, row, counts(row.id), withheldOf(row)?.types));
  }

  const show = async (tx: Tx, row: WebhookRow) => (await showAll(tx, [row]))[0] as Webhook;

  /** Refuses an address that messages may not go to. */
  async function checkUrl(url: string | undefined): Promise<void> {
    const message = url === undefined ? undefined : await transports.refusalOf(url);
    if (message === undefined) return;
    throw new AppError('webhook_address_not_allowed', { fields: [{ path: 'body.url', message }] });
  }

  const record = (tx: Tx, { actor, request }: Call, verb: string, id: number, detail: Record<string, unknown>) =>
    audit.record(tx, { action: `webhook.${verb}`, actor, request, target: { kind: 'webhook', id }, detail });

  /** Runs one write about a channel. */
  const change = <T>(id: number, work: (tx: Tx, row: WebhookRow) => Promise<T>): Promise<T> =>
    db.write(async (tx) => {
      const row = found(await lockWebhook(tx, id));
      return work(tx, row);
    });

  async function find(tx: Tx, id: number): Promise<WebhookRow> {
    return found(await findWebhook(tx, id));
  }

  return {
    async list({ query }) {
      const { rows, count } = await listWebhooks(db.read, checkWindow(sliceOf(query)));
      return { data: await showAll(db.read, rows), meta: { count } };
    },

    async get({ params, version }) {
      const webhook = await show(db.read, await find(db.read, params.id));
      version?.show(webhook);
      return webhook;
    },

    async create(call) {
      const { url, to = [], types, kind, name, filter, enabled, prefix, parts } = call.body;
      const settings = settingsAfter({}, call.body);
      requirePermissions(call.actor, feedNeeds(types));
      if (kind === 'email' && !transports.hasEmail) {
        throw new AppError('conflict', { message: 'No mail server is set. Set QUARTERDECK_SMTP_HOST first.' });
      }
      await checkUrl(url);
      const nowMs = now();
      const secret = kind === 'standard' ? newWebhookSecret() : null;
      return db.write(async (tx) => {
        if ((await countWebhooks(tx)) >= WEBHOOKS_MAX) {
          throw new AppError('conflict', {
            message: `The limit of ${WEBHOOKS_MAX} channels is reached. Delete one first.`,
          });
        }
        const fields = { kind, name, filter, enabled, prefix };
        const lists = { recipients: joined(to), types: joined(types), parts: joined(parts) };
        const origin = {
          ...authorOf(call.actor),
          createdBy: call.actor.username,
          eventId: await newestEventId(tx),
        };
        const { id } = await createWebhook(tx, { ...fields, ...lists, ...origin }, nowMs);
        const row = await updateWebhook(tx, id, {
          url: url === undefined ? null : sealPart(key, id, 'url', url),
          secret: secret === null ? null : sealPart(key, id, 'secret', secret),
          settings: sealSettings(key, id, settings),
        });
        await record(tx, call, 'create', id, { after: auditView(key, row) });
        return { ...(await show(tx, row)), secret };
      });
    },

    async update(call) {
      const { params, body, version } = call;
      const seen = await find(db.read, params.id);
      const { url: newUrl } = changedColumns(key, seen, body);
      checkFields(seen.kind, { ...body, url: newUrl });
      await checkUrl(newUrl);
      const nowMs = now();
      const changed = await change(params.id, async (tx, before) => {
        version?.check(await show(tx, before));
        const { columns, url, settings } = changedColumns(key, before, body);
        // The caller sets the address, or the account at a service, and reads what is sent there.
        const hasReceiver = url !== undefined || settings !== undefined || columns.recipients !== before.recipients;
        if (hasReceiver) await requireAllOf(tx, call.actor, { id: before.id, types: columns.types });
        // To turn a channel off, or to give it fewer events, takes no right; a caller with the rights of its events
        // becomes their author.
        const isChosen = columns.enabled && columns.types !== '';
        if (isChosen) requirePermissions(call.actor, feedNeeds(words(columns.types)));
        const row = await updateWebhook(tx, before.id, {
          ...columns,
          ...(isChosen ? authorOf(call.actor) : {}),
          ...(url === undefined ? {} : { url: sealPart(key, before.id, 'url', url) }),
          ...(settings === undefined ? {} : { settings: sealSettings(key, before.id, settings) }),
          // It gets events from now on, not those of the time in which it asked for none.
          ...(getsEvents(before) ? {} : { eventId: await newestEventId(tx) }),
          modifiedMs: nowMs,
        });
        await retryNow(tx, row.id, nowMs);
        await record(tx, call, 'update', row.id, { before: auditView(key, before), after: auditView(key, row) });
        return show(tx, row);
      });
      version?.show(changed);
      return changed;
    },

    async remove(call) {
      const { params, version } = call;
      version?.check(await show(db.read, await find(db.read, params.id)));
      // Slice by slice, so that other writes run in between.
      while ((await db.write((tx) => removeDeliveries(tx, params.id, SLICE))) === SLICE);
      await change(params.id, async (tx, row) => {
        version?.check(await show(tx, row));
        await removeWebhook(tx, row.id);
        await record(tx, call, 'delete', row.id, { before: auditView(key, row) });
      });
      return undefined;
    },

    rotate(call) {
      const grace = call.body.grace ?? 0;
      const nowMs = now();
      const secret = newWebhookSecret();
      return change(call.params.id, async (tx, { id, kind, secret: previous }) => {
        if (previous === null) throw new AppError('conflict', { message: `A channel of kind ${kind} has no secret.` });
        const previousUntilMs = grace === 0 ? 0 : nowMs + grace * 1000;
        const row = await updateWebhook(tx, id, {
          secret: sealPart(key, id, 'secret', secret),
          previousSecret: grace === 0 ? null : previous,
          previousUntilMs,
          modifiedMs: nowMs,
        });
        await record(tx, call, 'rotate', id, { previous_until: previousUntilMs });
        return { ...(await show(tx, row)), secret };
      });
    },

    test(call: CallById) {
      const nowMs = now();
      return change(call.params.id, async (tx, { id, name }) => {
        const data = { webhook: { id, name }, text: `Test message of the channel ${name}` };
        const queued = await queueMessages(tx, [id], [{ type: 'webhook.test', timestampMs: nowMs, data }], nowMs);
        if (queued === 0) throw new AppError('conflict', { message: 'The channel is disabled. Enable it first.' });
        // A test behind a message whose next attempt is hours away would say nothing.
        await retryNow(tx, id, nowMs);
        const delivery = await newestDelivery(tx, id);
        await record(tx, call, 'test', id, {});
        return toDelivery(delivery);
      });
    },

    async deliveries({ params, query, actor }) {
      await find(db.read, params.id);
      const slice = checkWindow(sliceOf(query), DELIVERY_PAGE_MAX);
      const { data, meta } = await listDeliveries(db.read, { webhookId: params.id, state: query.state }, slice);
      return { data: data.map((delivery) => shownDelivery(actor, delivery)), meta };
    },

    async delivery({ params, actor }) {
      return shownDelivery(actor, toDelivery(found(await findDelivery(db.read, params.id))));
    },

    redeliver: (call) =>
      db.write(async (tx) => {
        const { id } = call.params;
        const delivery = found(await findDelivery(tx, id));
        requireMessage(call.actor, delivery.type, toDelivery(delivery).body['data']);
        if (!(await waitAgain(tx, id, now()))) {
          throw new AppError('conflict', { message: 'The message waits to be sent already.' });
        }
        await record(tx, call, 'redeliver', delivery.webhookId, { delivery: id, message_id: delivery.messageId });
        return toDelivery({ ...delivery, ...(await findDelivery(tx, id)) });
      }),
  };
}

/** Tells whether a channel gets events without a rule. */
const getsEvents = ({ enabled, types }: WebhookRow) => enabled && types !== '';
