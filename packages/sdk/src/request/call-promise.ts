// Promise of a call: resolves with the data, and on request with the response around it.
import type { Answer } from './answer.ts';
import type { HttpAnswer } from './http-answer.ts';

/** Data of an answer with the response that it came in. */
export interface CallResponse<T> {
  readonly data: T;
  /** HTTP status. */
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  /** Id of this request in the server's log. */
  readonly requestId: string | undefined;
}

/** Promise of the data of an answer. */
export interface CallPromise<T> extends Promise<T> {
  /** Resolves with the response too: `const { data, headers } = await client.user.me().withResponse()`. */
  withResponse(): Promise<CallResponse<T>>;
}

/** Makes the promise of a call; `read` takes the data out of the answer. */
export function callPromise<T>(answer: Promise<Answer>, read: (answer: Answer) => T): CallPromise<T> {
  const response = answer.then((one) => {
    const { status, headers } = one;
    return { data: read(one), status, headers, requestId: headers.get('x-request-id') ?? undefined };
  });
  const data = response.then((one) => one.data);
  const withResponse = () => {
    // A failure is reported by the promise that is in use.
    data.catch(() => undefined);
    return response;
  };
  return Object.assign(data, { withResponse });
}
