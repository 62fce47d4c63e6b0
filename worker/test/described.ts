/** Holds the replies that tests read to what their operations declare: results, and codes of errors. */

import { expect } from 'vitest';
import type * as z from 'zod';
import { routes } from '../app.ts';
import { operationsOf } from '../http/operations.ts';
import { errorsOf } from '../openapi/errors.ts';
import { enveloped } from '../openapi/operation.ts';
import { BASE_PATH } from '../public-url.ts';
import type { AnyRoute } from '../route.ts';
import { ErrorReply } from '../shapes/error-schema.ts';
import type { Reply } from './gateway.ts';

/** Of no operation: of a path that there is not, or a method that a path does not have. */
const OF_NO_OPERATION = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];

/** With patterns of their paths, in the order in which they are tried. */
const known = operationsOf(routes).map((operation) => ({
  ...operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The shape of a reply that succeeds. */
function resultOf(route: AnyRoute, status: number): z.ZodType | undefined {
  if (status === 202) return route.accepted;
  return status === 200 ? enveloped(route) : undefined;
}

/**
 * Fails on a result that its schema does not have as a whole, and on an error that its operation
 * does not declare.
 * @param path below /api/v1
 */
export function demandDescribed(method: string, path: string, { status, body }: Reply): void {
  const whole = BASE_PATH + path.split('?', 1)[0];
  const operation = known.find((each) => each.method === method && each.pattern.test(whole));
  const schema = (operation && resultOf(operation.route, status)) ?? ErrorReply;
  const parsed = schema.parse(body);
  // What a schema does not know it leaves out; this name it leaves out of every record.
  if (!JSON.stringify(body).includes('"__proto__":')) {
    expect(parsed, `as ${method} ${path} is described`).toEqual(body);
  }
  if (schema !== ErrorReply) return;
  const codes = operation ? errorsOf(operation.route, operation.method) : OF_NO_OPERATION;
  expect(codes, `errors of ${method} ${path}`).toContain(ErrorReply.parse(body).code);
}
