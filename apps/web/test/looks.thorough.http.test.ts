// Every page in every look: nothing that axe finds, nothing wider than the window, nothing that the browser reports.
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { type DemoWorld, fillWithDemo } from './demo-world.ts';
import { hasNoBrowser, LOOKS, lookName, useVisitors } from './visitor.ts';

/** The pages, and a text that each shows once it is complete. */
const PAGES: readonly (readonly [name: string, place: (world: DemoWorld) => string, text: RegExp])[] = [
  ['overview', () => '/', /online/],
  ['alert', ({ alertId }) => `/a/${alertId}`, /The newest/],
  ['errors', () => '/e', /groups/],
  ['error', ({ groupId }) => `/e/${groupId}`, /Newest lines/],
  ['lines', () => '/lines', /Details/],
  ['lines around', () => '/lines?around=3', /Back to the list/],
  ['hosts', () => '/h', /hosts/],
  ['host', () => '/h/1', /What changed/],
  ['changes', () => '/changes', /1 change/],
  ['change', () => '/changes?id=1', /Effects on errors/],
  ['tokens', () => '/tokens', /no API tokens/],
  ['account', () => '/account', /this one/],
  ['unknown address', () => '/h/1/2', /no such page/],
  ['unknown alert', () => '/a/999999', /Not found/],
];

describe.skipIf(hasNoBrowser)('the page', () => {
  const { api, open } = useVisitors();
  let world: DemoWorld;
  beforeAll(async () => {
    world = await fillWithDemo(api);
  });

  describe.each(nonEmpty(LOOKS).map((look) => [lookName(look), look] as const))('at %s', (_, look) => {
    it.each(nonEmpty(PAGES))('%s can be read by everybody', async (_name, place, text) => {
      await using visitor = await open(look);
      await visitor.signInAs('admin');
      await visitor.goTo(place(world));
      await visitor.sees(text);
      expect(await visitor.accessibilityProblems()).toEqual([]);
      expect(await visitor.widerThanWindow()).toEqual([]);
    });

    it('sign-in can be read by everybody', async () => {
      await using visitor = await open(look);
      await visitor.goTo('/sign-in');
      await visitor.sees('Stay signed in for 31 days');
      expect(await visitor.accessibilityProblems()).toEqual([]);
      expect(await visitor.widerThanWindow()).toEqual([]);
    });
  });
});
