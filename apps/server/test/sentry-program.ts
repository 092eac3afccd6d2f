// A program as people write it, with the SDK of Sentry for Node.js: `node sentry-program.ts DSN SERVICE`. It ends by an
// error that nobody handles.
import * as Sentry from '@sentry/node';

const [dsn = '', service = ''] = process.argv.slice(2);
Sentry.init({
  dsn,
  release: 'shop@1.4.2',
  environment: 'staging',
  serverName: `host-${service}`,
  tracesSampleRate: 1,
  initialScope: { tags: { service, tenant: 'acme' } },
});
Sentry.setUser({ id: '42', username: 'ada', email: 'ada@example.com', ip_address: '192.0.2.7' });
Sentry.addBreadcrumb({ category: 'cart', message: 'item added', level: 'info' });

function chargeCard(): never {
  throw new TypeError('card declined');
}

/** Fails with a cause. */
function checkout(): never {
  try {
    chargeCard();
  } catch (cause) {
    throw new Error('checkout failed', { cause });
  }
}

Sentry.startSpan({ name: 'GET /cart' }, () => Sentry.captureMessage('stock is low', 'warning'));
try {
  checkout();
} catch (error) {
  Sentry.captureException(error, { attachments: [{ filename: 'cart.bin', data: new Uint8Array([0, 10, 255, 10]) }] });
}
Sentry.withScope((scope) => {
  scope.setFingerprint(['payment', 'timeout']);
  for (const shop of ['berlin', 'paris']) Sentry.captureException(new Error(`no answer for ${shop}`));
});
Sentry.logger.error(Sentry.logger.fmt`order ${7} lost`, { service, queue: 'orders' });
Sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'ok' });
await Sentry.flush(20_000);
throw new RangeError('out of stock');
