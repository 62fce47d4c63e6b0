/** That the description served at /openapi.json is whole, valid, and true of itself. */

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { descriptionOf } from './checked-fetch.ts';
import type { Description } from './description.ts';
import { missingIn, wrongExamplesIn } from './whole.ts';

let description: Description;
beforeAll(async () => {
  description = await descriptionOf((await sharedGateway()).url);
});

test('is OpenAPI 3.1 by its own schema', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(description.document));
  expect([valid, errors]).toEqual([true, undefined]);
});

test('is OpenAPI 3.1 by the rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(description.document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const told = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`);
  expect(told).toEqual([
    // The project has none.
    'info-license #/info',
    // Nothing can be wrong with it.
    'operation-4xx-response #/paths/~1healthz/get/responses',
    // Of what is no operation.
    'no-unused-components #/components/responses/NOT_FOUND',
    'no-unused-components #/components/responses/METHOD_NOT_ALLOWED',
  ]);
});

test('describes every member, parameter and header, and has an example of every body, reply and error', () => {
  expect(missingIn(description)).toEqual([]);
});

test('has no example that its own schema refuses', () => {
  expect(wrongExamplesIn(description)).toEqual([]);
});
