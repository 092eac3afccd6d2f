// Names the reason of a request without an answer.
import { AddressNotAllowed } from '../../../net/allowed-address.ts';

const CERTIFICATE = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT)/;
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO|ETLS)/;

/** One line for people. It names host and port of the address, and nothing after them. */
export function failureText(error: Error, url: URL, ended: AbortSignal, timeoutMs: number): string {
  const { host, hostname } = url;
  const { code = error.name } = error as NodeJS.ErrnoException;
  if (error instanceof AddressNotAllowed) return error.message;
  if (ended.aborted) return stopText(ended, `${host} did not answer within ${timeoutMs / 1000} s.`);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name ${hostname} cannot be resolved (${code}).`;
    case 'EPROXY':
      return `${host} could not be reached: ${error.message}.`;
    case 'ECONNREFUSED':
      return `${host} refused the connection.`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} closed the connection before it answered.`;
    case 'HPE_HEADER_OVERFLOW':
      return `The headers of the answer of ${host} are too large.`;
    default:
  }
  if (code.startsWith('HPE_')) return `The answer of ${host} is not HTTP (${code}).`;
  return connectionText(code, host);
}

/** The reason for which there is no connection. */
export function connectionText(code: string, host: string): string {
  if (CERTIFICATE.test(code)) return `The certificate of ${host} is not valid (${code}).`;
  if (TLS.test(code)) return `TLS with ${host} failed (${code}).`;
  return `${host} could not be reached (${code}).`;
}

/** The reason for which an attempt was ended: its time is over, or the server stops. */
export function stopText(ended: AbortSignal, timeout: string): string {
  return (ended.reason as Error).name === 'TimeoutError' ? timeout : 'The attempt was stopped.';
}
