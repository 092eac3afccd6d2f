// The parts of `serveContract`, as "@quarterdeck/express/parts": for servers that put steps of their own between them.
export { authorize, authorizeFor } from './authorize.ts';
export { BODY_LIMIT, continueOnRead, isJson, mediaType, readBytes, readJsonBody, readUnexpectedBody } from './body.ts';
export { type Credential, credentialHeaders, credentialText, isCookieSession, readCredential } from './credential.ts';
export type { Versioning } from './entity-tag.ts';
export { type ConvertError, createRefuse, isFault, type Refuse, type RefuseOptions } from './error-handler.ts';
export { type CallContext, mount, type Pipeline, refuseMethod, type ServicesOf } from './mount.ts';
export {
  ANSWER_HEADERS,
  answerCounts,
  type SendOptions,
  sendEmpty,
  sendHtml,
  sendJson,
  sendText,
  sendWaiting,
  setHead,
} from './send.ts';
export {
  flowCookie,
  isForeign,
  isLoopback,
  isPlainElsewhere,
  noSessionCookie,
  readFlowCookie,
  readPageSession,
  sessionCookie,
  wantsCookie,
} from './session-cookie.ts';
export { addVary, closeWithConnection, type Incoming, inOrder, pathOf, requestId, type Step } from './steps.ts';
export { admitUnsent, holdUnsent, UNSENT_MAX, unsentBytes } from './unsent.ts';
