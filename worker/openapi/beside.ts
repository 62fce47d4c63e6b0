/** What is next to the API and is part of the product all the same. Contract: "Base path". */
import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { headersNamed, ON_ALL } from './headers.ts';

/** None needs a token. */
const common = { tags: ['Help'], 'x-access-level': 'Public', security: [] };

const Health = z
  .object({ status: z.literal('ok').meta({ description: 'Always `ok`' }) })
  .meta({ description: 'The gateway takes requests', examples: [{ status: 'ok' }] });

const NotNow = z
  .object({
    status: z
      .enum(['starting', 'stopping'])
      .meta({ description: 'Why it takes none', examples: ['starting'] }),
  })
  .meta({ description: 'The gateway takes no requests', examples: [{ status: 'starting' }] });

const health: ZodOpenApiOperationObject = {
  ...common,
  operationId: 'health',
  summary: 'Tell whether the gateway takes requests',
  description: 'Asks no backend and tells nothing else.\n\nNeeds no token.',
  responses: {
    200: {
      description: 'It does',
      headers: headersNamed(ON_ALL),
      content: { 'application/json': { schema: Health } },
    },
    503: {
      description: 'It does not yet, or no more',
      headers: headersNamed([...ON_ALL, 'Retry-After']),
      content: { 'application/json': { schema: NotNow } },
    },
  },
};

const tagged = headersNamed([...ON_ALL, 'ETag']);

const description: ZodOpenApiOperationObject = {
  ...common,
  operationId: 'openapi',
  summary: 'Get this description',
  description: 'Made from the operations that this gateway has.\n\nNeeds no token.',
  parameters: [{ $ref: '#/components/parameters/If-None-Match' }],
  responses: {
    200: {
      description: 'The description',
      headers: tagged,
      content: {
        'application/json': {
          schema: { type: 'object', description: 'A document of OpenAPI 3.1' },
          example: { openapi: '3.1.1', info: { title: 'Causeway', version: '1.0.0' }, paths: {} },
        },
      },
    },
    304: { description: 'It is still as `If-None-Match` has it', headers: tagged },
  },
};

const page: ZodOpenApiOperationObject = {
  ...common,
  operationId: 'docs',
  summary: 'Read this description as a page',
  description: 'Shows all operations, and can send requests.\n\nNeeds no token.',
  responses: {
    200: {
      description: 'The page',
      headers: {
        ...headersNamed(ON_ALL),
        'Content-Security-Policy': {
          description: 'What the page may load: nothing from elsewhere',
          required: true,
          schema: { type: 'string' },
          example: "default-src 'none'; script-src 'self'",
        },
      },
      content: {
        'text/html': {
          schema: { type: 'string', description: 'A document of HTML' },
          example: '<!doctype html><html lang="en"></html>',
        },
      },
    },
  },
};

/** By their paths. */
export const PATHS_BESIDE: ZodOpenApiPathsObject = {
  '/healthz': { get: health },
  '/openapi.json': { get: description },
  '/docs': { get: page },
};
