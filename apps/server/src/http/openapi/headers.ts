// Headers of the routes outside the contract.

/** Headers of answers, for the components of the document. */
export const RAW_HEADERS = {
  Location: {
    description: 'Where the page is',
    required: true,
    schema: { type: 'string' },
    example: './docs',
  },
} as const;

/** Headers that an operation accepts, for the components of the document. */
export const RAW_PARAMETERS = {
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last event that arrived: the stream continues after it',
    schema: { type: 'string' },
    example: '1795000000000-17',
  },
} as const;
