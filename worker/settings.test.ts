/** What a wrong setting is told: what it should be, and never its value. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { settingsOf } from './settings.ts';

const SECONDS = 'must be a whole number of seconds, at least 1';
const BYTES = 'must be a whole number of bytes, at least 1';

test.each([
  ['JWT_LIFETIME_S', '1h', `JWT_LIFETIME_S: ${SECONDS}`],
  ['JWT_LIFETIME_S', '0', `JWT_LIFETIME_S: ${SECONDS}`],
  ['LOGIN_MAX_S', '1.5', `LOGIN_MAX_S: ${SECONDS}`],
  ['RESULT_MAX_BYTES', '10MB', `RESULT_MAX_BYTES: ${BYTES}`],
  ['BODY_MAX_BYTES', '1e99', `BODY_MAX_BYTES: ${BYTES}`],
  ['POLICY_TTL_MS', 'soon', 'POLICY_TTL_MS: must be a whole number of milliseconds, at least 0'],
  ['OTEL_TRACES_SAMPLER_ARG', 'all', 'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1'],
  [
    'QUOTAS',
    '{"tables":1}',
    'QUOTAS: "tables" is not known; known are endpoints, templates, workflows, storage, audit',
  ],
  ['QUOTAS', '{"endpoint":1}', 'QUOTAS: "endpoint" is not known; did you mean "endpoints"?'],
  [
    'TEMPLATE_BUDGETS',
    '{"steps":1}',
    'TEMPLATE_BUDGETS: "steps" is not known; known are fuel, depth, output_bytes',
  ],
  ['TEMPLATE_BUDGETS', '{"fuel":"x"}', 'TEMPLATE_BUDGETS.fuel: must be a number, not a string'],
  ['AUTH_EXTERNAL', '{}', 'AUTH_EXTERNAL: must be an array, not an object'],
  ['RATE_LIMITS', 'no', 'RATE_LIMITS: must be one of "on", "off"'],
])('%s of %s', (name, value, message) => {
  expect(() => settingsOf({ ...env, [name]: value })).toThrow(`Settings: ${message}`);
});
