// Real transports that reach receivers on loopback, without a mail server.
import { createTransports } from '../../src/features/webhook/transports/transports.ts';

const NO_MAIL = {
  smtpHost: undefined,
  smtpPort: 587,
  smtpUser: undefined,
  smtpPassword: undefined,
  smtpFrom: undefined,
};

/** Creates such transports. */
export const loopbackTransports = () =>
  createTransports({ config: { webhookAllow: '127.0.0.1', ...NO_MAIL }, now: Date.now });
