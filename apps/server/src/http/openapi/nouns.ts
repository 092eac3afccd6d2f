// The nouns of the document: schemas with a name and a description.
import { EVENTS, NOUN_DESCRIPTIONS, NOUNS } from '@quarterdeck/core';
import type { Noun } from '@quarterdeck/express/openapi';
import { z } from 'zod';

/** An event of the stream; its type decides its data. */
export const StreamEvent = z.union(
  Object.entries(EVENTS).map(([event, data]) => z.object({ id: z.string(), event: z.literal(event), data })),
);

const descriptions: Readonly<Record<string, string>> = NOUN_DESCRIPTIONS;

/** Name -> schema and description. */
export const OUR_NOUNS: Readonly<Record<string, Noun>> = {
  ...Object.fromEntries(
    Object.entries(NOUNS).map(([name, schema]) => [name, { schema, description: descriptions[name] ?? '' }]),
  ),
  StreamEvent: {
    schema: StreamEvent,
    description: 'An event: its fields `id`, `event` and `data`, whose text is JSON. The type decides the data.',
  },
};
