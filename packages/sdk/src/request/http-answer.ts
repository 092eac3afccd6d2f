// Form of a response, so that a program can replace `fetch`.
/** The part of a response that the client reads. */
export interface HttpAnswer extends Pick<Response, 'status' | 'ok' | 'type' | 'body' | 'text'> {
  readonly headers: Pick<Headers, 'get'>;
}
