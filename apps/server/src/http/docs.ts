// The documentation of the API as one page.
import { LEVELS } from '@quarterdeck/core';
import { createDocsPage } from '@quarterdeck/express/openapi';
import { openApiDocument } from './openapi.ts';

let made: Buffer | undefined;

/** Returns the page in UTF-8. The first call generates it. */
export function docsPage(): Buffer {
  made ??= createDocsPage(openApiDocument(), {
    documentUrl: '/openapi.json',
    sections: [
      {
        id: 'levels',
        description: 'Levels of error logs.',
        rows: LEVELS.map((name, level) => [String(level), name]),
      },
    ],
  });
  return made;
}
