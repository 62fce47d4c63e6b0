/** One operation of the description, from its route. */
import * as z from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiParameters,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Operation } from '../http/operations.ts';
import { type AnyRoute, type Method, takesNoBody } from '../route.ts';
import type { ErrorResponses } from './error-responses.ts';
import { errorsOf, isReplayed } from './errors.ts';
import { exampleOf } from './example.ts';
import { headersNamed, ON_ALL, parameterNamed, type ReplyHeader } from './headers.ts';
import type { Link } from './links.ts';

/** One operation; `errors` collects what it shares with others. */
export function describeOperation(
  operation: Operation,
  errors: ErrorResponses,
  links: Links,
): ZodOpenApiOperationObject {
  const { route, method } = operation;
  const { access, description, facade, summary, tag } = route;
  const replayed = isReplayed(route, method);
  const traits = { authorized: access.level !== 'Public', replayed, facade };
  return {
    operationId: operation.id,
    // Clients of a facade are made for what it stands for, and that has all of its spellings.
    ...(operation.isOther && !facade ? { deprecated: true } : {}),
    tags: [tag],
    summary,
    description: `${description}\n\n${neededBy(route)}`,
    'x-access-level': access.level,
    security: securityOf(route),
    requestParams: parametersOf(route),
    parameters: commonHeadersOf(route, method).map(parameterNamed),
    ...requestBodyOf(route, method),
    responses: {
      ...(route.upgrades ? upgradeOf(route) : successOf(route, method, links)),
      ...errors.of(errorsOf(route, method), traits),
    },
  };
}

function neededBy({ access, credentials }: AnyRoute): string {
  if (access.level === 'Public') return `${withoutToken(credentials)} Its body has at most 64 KiB.`;
  const needed = LEVEL_NEEDED[access.level];
  return access.anything ? `${needed} It may be held on anything in the organization.` : needed;
}

function withoutToken(credentials: AnyRoute['credentials']): string {
  return credentials ? CREDENTIALS_NEEDED[credentials] : LEVEL_NEEDED.Public;
}

const CREDENTIALS_NEEDED: Readonly<Record<NonNullable<AnyRoute['credentials']>, string>> = {
  basic: 'Needs username and password in place of a token.',
  installation: 'Needs no token, unless the installation demands one of its own.',
};

const LEVEL_NEEDED: Readonly<Record<AnyRoute['access']['level'], string>> = {
  Public: 'Needs no token.',
  Member: 'Needs the token of a member, whatever their level.',
  None: 'Needs no level.',
  Read: 'Needs the level `Read`.',
  Write: 'Needs the level `Write`.',
  Admin: 'Needs the level `Admin`.',
  SuperAdmin: 'Needs the level `SuperAdmin`.',
};

function securityOf({ access, credentials }: AnyRoute): Record<string, []>[] {
  if (access.level !== 'Public') return [{ bearer: [] }];
  if (credentials === 'basic') return [{ basic: [] }];
  return credentials === 'installation' ? [{}, { installation: [] }] : [];
}

function parametersOf({ params, query, headers }: AnyRoute): ZodOpenApiParameters {
  return {
    ...(params instanceof z.ZodObject ? { path: params } : {}),
    ...(query instanceof z.ZodObject ? { query } : {}),
    ...(headers ? { header: headers } : {}),
  };
}

/** Contract: "Request id", "Conditional requests", "Retries by the client". */
function commonHeadersOf(route: AnyRoute, method: Method) {
  return [
    'X-Request-Id' as const,
    ...(route.conditional ? (['If-Match'] as const) : []),
    ...(route.conditional && method === 'GET' ? (['If-None-Match'] as const) : []),
    ...(isReplayed(route, method) ? (['Idempotency-Key'] as const) : []),
  ];
}

function requestBodyOf(route: AnyRoute, method: Method) {
  if (method === 'GET') return {};
  const { body, facade } = route;
  if (facade) return { requestBody: { content: contentsOf(facade.bodies) } };
  if (takesNoBody(route)) return {};
  const required = !body.safeParse(undefined).success;
  return { requestBody: { required, content: { 'application/json': contentOf(body) } } };
}

/** By their names; `undefined` where there are none. */
type Links = Readonly<Record<string, Link>> | undefined;

function upgradeOf({ result }: AnyRoute): ZodOpenApiResponsesObject {
  const description = result.meta()?.description ?? 'The connection is a WebSocket from now on';
  return { 101: { description, headers: headersNamed(ON_ALL) } };
}

/** Of what goes on: a facade's callers have no rights to look at it. */
const LOCATED = ['Location', 'Preference-Applied'] as const;

function successOf(route: AnyRoute, method: Method, links: Links): ZodOpenApiResponsesObject {
  const { access, accepted, conditional, result, streams = {} } = route;
  const timed: ReplyHeader[] = access.level === 'Public' ? [] : ['Server-Timing'];
  const tagged: ReplyHeader[] = conditional && method !== 'DELETE' ? ['ETag'] : [];
  const replayed: ReplyHeader[] = isReplayed(route, method) ? ['Idempotent-Replayed'] : [];
  const answered = {
    description: result.meta()?.description ?? 'Success',
    headers: headersNamed([...ON_ALL, ...timed, ...tagged, ...replayed]),
    content: {
      'application/json': contentOf(enveloped(route)),
      ...contentsOf(streams),
    },
  };
  if (accepted) {
    const headers = headersNamed([
      ...ON_ALL,
      ...timed,
      ...(namesRun(route) ? (['Idempotent-Replayed'] as const) : replayed),
      ...LOCATED.filter(() => route.facade === undefined),
    ]);
    const description = accepted.meta()?.description ?? 'Accepted';
    const content = { 'application/json': contentOf(accepted) };
    return { 200: answered, 202: { description, headers, content, ...(links && { links }) } };
  }
  const linked = { ...answered, ...(links && { links }) };
  if (!conditional || method !== 'GET') return { 200: linked };
  const headers = headersNamed([...ON_ALL, ...timed, ...tagged]);
  return { 200: linked, 304: { description: 'It is still as `If-None-Match` has it', headers } };
}

/** Whether a key names what goes on by itself: a repeat then is answered as accepted, and says so. */
function namesRun({ idempotency, headers }: AnyRoute): boolean {
  return idempotency === 'ignored' && headers !== undefined && 'Idempotency-Key' in headers.shape;
}

/** A whole reply that succeeds. Contract: "Envelope". */
export function enveloped({ reply, result }: AnyRoute): z.ZodType {
  if (reply === 'bare') return result;
  return z.object({
    status: z
      .literal('success')
      .meta({ description: 'Always `success`: errors have another shape' }),
    data: result.meta()?.description === undefined ? result.describe('The result') : result,
  });
}

/** By their media types. */
function contentsOf(schemas: Readonly<Record<string, z.ZodType>>) {
  return Object.fromEntries(Object.entries(schemas).map(([type, each]) => [type, contentOf(each)]));
}

/** A schema with an example, its own or one made of its members'. */
function contentOf(schema: z.ZodType) {
  const example = exampleOf(schema);
  return { schema, ...(example === undefined ? {} : { example }) };
}
