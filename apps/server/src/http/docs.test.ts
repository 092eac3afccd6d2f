import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { docsPage } from './docs.ts';
import { openApiDocument } from './openapi.ts';

const operations = nonEmpty(Object.values(openApiDocument().paths).flatMap((path) => Object.values(path)));

describe('an endpoint on the page', () => {
  it('has an anchor, its scope, a command and its errors', () => {
    const html = docsPage().toString();
    for (const { operationId, description, responses } of operations) {
      const [, article = ''] = html.split(`<article id="${operationId}">`);
      const text = article.split('</article>', 1)[0] ?? '';
      expect(text, operationId).toContain(`href="#${operationId}"`);
      expect(text.replaceAll(/<\/?code>/g, '`')).toContain(description);
      expect(text).toContain('<pre><code>curl ');
      for (const status of Object.keys(responses)) if (Number(status) >= 400) expect(text).toContain(`>${status}</th>`);
    }
  });
});
