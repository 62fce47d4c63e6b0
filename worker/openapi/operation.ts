/** One operation of the description, from its route. */
import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiParameters } from 'zod-openapi';
import { actionOf } from '../audit/action.ts';
import { type AnyRoute, type Method, methodsOf, NoBody, pathsOf } from '../http/route.ts';
import { errorResponses } from './errors.ts';
import { groupOf } from './groups.ts';

/** The operation of `route` at one of its paths by one of its methods. */
export function operationOf(
  route: AnyRoute,
  path: string,
  method: Method,
): ZodOpenApiOperationObject {
  return {
    operationId: operationIdOf(route, path, method),
    tags: [groupOf(pathsOf(route)[0] ?? path)],
    summary: route.summary,
    'x-access-level': route.access.level,
    security: route.access.level === 'Public' ? [] : [{ bearer: [] }],
    requestParams: parametersOf(route),
    ...(route.body === NoBody || method === 'GET' ? {} : { requestBody: bodyOf(route) }),
    responses: {
      200: {
        description: 'Success',
        content: { 'application/json': { schema: replyOf(route) } },
      },
      ...errorResponses(route, method),
    },
  };
}

/** Stable: it follows from the first path and method, and names the others by what they have beyond. */
function operationIdOf(route: AnyRoute, path: string, method: Method): string {
  const [first, ...rest] = actionOf(route).split(/[._]/);
  const name = [first, ...rest.map(capitalized)].join('');
  const at = path === pathsOf(route)[0] ? '' : `At${capitalized(path.slice(1))}`;
  const by = method === methodsOf(route)[0] ? '' : `By${capitalized(method.toLowerCase())}`;
  return name + at + by;
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function parametersOf(route: AnyRoute): ZodOpenApiParameters {
  return {
    ...(route.params instanceof z.ZodObject ? { path: route.params } : {}),
    ...(route.query instanceof z.ZodObject ? { query: route.query } : {}),
  };
}

function bodyOf(route: AnyRoute) {
  return { required: true, content: { 'application/json': { schema: route.body } } };
}

function replyOf({ reply, result }: AnyRoute): z.ZodType {
  return reply === 'bare' ? result : z.object({ status: z.literal('success'), data: result });
}
