/** The description of the API, made from its routes. */
import { expect, test } from 'vitest';
import { routes } from '../app.ts';
import { describe as described } from './document.ts';

test('names every operation once', () => {
  const document = described(routes);
  const ids = Object.values(document.paths ?? {}).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('endpointCreate');
});
