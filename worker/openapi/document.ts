/** The API's description in OpenAPI 3.1, made from its routes. */
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { VERSION } from '../help/version.ts';
import { type AnyRoute, methodsOf, pathsOf } from '../http/route.ts';
import { TAGS } from './groups.ts';
import { INTRODUCTION } from './introduction.ts';
import { operationOf } from './operation.ts';
import { asDescribed } from './schemas.ts';

/** The description as JSON. */
export type Description = ReturnType<typeof createDocument>;

/** Describes every operation, each method and path its own. @param routes the whole API */
export function describe(routes: readonly AnyRoute[]): Description {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Causeway',
        version: VERSION,
        description: INTRODUCTION,
      },
      tags: TAGS,
      servers: [{ url: '/', description: 'Where this document was fetched from' }],
      paths: pathsFor(routes),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          basic: { type: 'http', scheme: 'basic' },
        },
      },
    },
    { override: asDescribed, allowEmptySchema: { custom: true } },
  );
}

function pathsFor(routes: readonly AnyRoute[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {};
  for (const route of routes) {
    for (const [path, method] of variantsOf(route)) {
      const name = `/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`;
      paths[name] = { ...paths[name], [method.toLowerCase()]: operationOf(route, path, method) };
    }
  }
  return paths;
}

function variantsOf(route: AnyRoute) {
  return pathsOf(route).flatMap((path) =>
    methodsOf(route).map((method) => [path, method] as const),
  );
}
