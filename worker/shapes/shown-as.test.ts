/** Values that are parsed by one schema and shown as another. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { shownAs } from './shown-as.ts';

const Any = z.record(z.string(), z.unknown());
const Shape = z.strictObject({ url: z.url() }).meta({ examples: [{ url: 'https://example.com' }] });
const Config = shownAs(Any, Shape);

test.each([
  ['by itself', Config],
  ['with metadata', Config.meta({ description: 'How to get there' })],
  ['where it may be left out', Config.optional()],
])('is held to what parses it, %s', (_where, schema) => {
  expect(schema.parse({ host: 'example.com' })).toEqual({ host: 'example.com' });
  expect(schema.safeParse('https://example.com').success).toBe(false);
});

test('is shown as its shape, with the description of its place', () => {
  const Body = z.strictObject({
    config: Config.optional().meta({ description: 'How to get there' }),
  });
  expect(z.toJSONSchema(Body, { io: 'input' }).properties?.config).toEqual({
    type: 'object',
    properties: { url: { type: 'string', format: 'uri' } },
    required: ['url'],
    additionalProperties: false,
    examples: [{ url: 'https://example.com' }],
    description: 'How to get there',
  });
});
