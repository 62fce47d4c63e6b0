/** The errors that an operation can answer. */
import * as z from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { ERRORS, type ErrorCode } from '../../proto/errors.ts';
import type { AnyRoute, Method } from '../http/route.ts';

const ErrorDescription = z
  .object({
    error: z.string(),
    message: z.string(),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    request_id: z.string(),
    details: z.array(z.record(z.string(), z.unknown())).optional(),
  })
  .meta({ id: 'Error' });

/** One response for each status that an error of this operation can have. */
export function errorResponses(_route: AnyRoute, _method: Method): ZodOpenApiResponsesObject {
  const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: [...new Set(wordsAt(status))].join(', '),
        content: { 'application/json': { schema: ErrorDescription } },
      },
    ]),
  );
}

function wordsAt(status: number): string[] {
  return Object.values(ERRORS)
    .filter((row) => row.status === status)
    .map(({ error }) => error);
}
