/** The API's description in OpenAPI 3.1, made from its routes. */
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { VERSION } from '../help/version.ts';
import { operationsOf } from '../http/operations.ts';
import type { AnyRoute } from '../route.ts';
import { TAGS } from '../shapes/tags.ts';
import { PATHS_BESIDE } from './beside.ts';
import { ErrorResponses, OF_NO_OPERATION, PREFLIGHT } from './error-responses.ts';
import { headerParameters, REPLY_HEADERS, SHARING_HEADERS } from './headers.ts';
import { introduction } from './introduction.ts';
import { linksOf } from './links.ts';
import { describeOperation } from './operation.ts';
import { asDescribed } from './schemas.ts';

/** The description as JSON. */
type Description = ReturnType<typeof createDocument>;

/** The gateway's address in examples where it is unknown. RFC 2606. */
const SOME_GATEWAY = 'https://gateway.example';

/**
 * Describes every operation, each method and path by itself.
 * @param routes the whole API, and the facades next to it
 * @param gateway where clients reach it, as far as that is known
 */
export function describe(routes: readonly AnyRoute[], gateway: string | undefined): Description {
  const errors = new ErrorResponses();
  const paths = { ...pathsFor(routes, errors), ...PATHS_BESIDE };
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Causeway',
        version: VERSION,
        description: introduction(gateway ?? SOME_GATEWAY),
      },
      servers: [serverAt(gateway)],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths,
      components: {
        responses: {
          ...errors.made,
          ...OF_NO_OPERATION,
          PREFLIGHT,
        },
        headers: { ...REPLY_HEADERS, ...SHARING_HEADERS },
        parameters: headerParameters(),
        examples: errors.examples,
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    { override: asDescribed, allowEmptySchema: { custom: true } },
  );
}

function serverAt(gateway: string | undefined) {
  return gateway === undefined
    ? { url: '/', description: 'Where this description came from' }
    : { url: gateway, description: 'This gateway' };
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `token` that a login answers, or one of an identity provider that is trusted',
  },
  basic: { type: 'http', scheme: 'basic', description: 'Username, or UUID, and password' },
  installation: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the installation, where it demands one',
  },
} as const;

function pathsFor(routes: readonly AnyRoute[], errors: ErrorResponses): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  const operations = operationsOf(routes);
  // Where several serve alike, links lead to the first.
  const targets = operations.filter(
    ({ route }, nth) => operations.findIndex((each) => each.route === route) === nth,
  );
  for (const operation of operations) {
    const { path, method } = operation;
    const links = linksOf(operation, targets);
    const described = describeOperation(operation, errors, links);
    paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  }
  return paths;
}
