/** What stands beside the API and is part of the product all the same. Contract: "Base path". */
import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { headersNamed, ON_ALL } from './headers.ts';

const Health = z.object({ status: z.literal('ok').meta({ description: 'Always `ok`' }) }).meta({
  description: 'The gateway takes requests',
  examples: [{ status: 'ok' }],
});

/** None needs a token. */
export const PATHS_BESIDE: ZodOpenApiPathsObject = {
  '/healthz': {
    get: {
      operationId: 'health',
      tags: ['Help'],
      summary: 'Tell whether the gateway takes requests',
      description: 'Asks no backend and tells nothing else.\n\nNeeds no token.',
      'x-access-level': 'Public',
      security: [],
      responses: {
        200: {
          description: 'It does',
          headers: headersNamed(ON_ALL),
          content: { 'application/json': { schema: Health, example: { status: 'ok' } } },
        },
      },
    },
  },
};
