/** What the API tells of itself. Spec: "Help". Contract §13, `GET /help`. */
import * as z from 'zod';
import type { Mode } from '../../proto/driver.ts';
import { kindSpec, kinds } from '../../proto/kinds/index.ts';
import { anyMember } from '../access/access.ts';
import { type AnyRoute, methodsOf, pathsOf, route } from '../http/route.ts';
import { BASE_PATH } from '../http/run.ts';
import { VERSION } from './version.ts';

const Help = z.object({
  name: z.string(),
  version: z.string(),
  documentation: z.string(),
  operations: z.array(
    z.object({
      method: z.string(),
      path: z.string(),
      summary: z.string(),
      level: z.string(),
    }),
  ),
  kinds: z.array(
    z.object({
      kind: z.string(),
      types: z.array(z.object({ type: z.string(), mode: z.enum(['read', 'write']) })),
    }),
  ),
});

/** One line of a list of operations. */
export interface OperationLine {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly level: string;
}

/** Every operation, each method and path a line of its own; parameters as `{name}`. */
export function operationLines(routes: readonly AnyRoute[]): OperationLine[] {
  return routes.flatMap((each) =>
    pathsOf(each).flatMap((path) =>
      methodsOf(each).map((method) => ({
        method,
        path: BASE_PATH + path.replaceAll(/:(\w+)/g, '{$1}'),
        summary: each.summary,
        level: each.access.level,
      })),
    ),
  );
}

/** @param all the whole API, which these routes are part of */
export function helpRoutes(all: () => readonly AnyRoute[]): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/help',
      summary: 'Tell the operations of the API and the kinds of endpoint',
      description:
        'With the level that each operation needs, and the types of requests that each kind of endpoint takes.',
      tag: 'Help',
      errors: [],
      access: anyMember,
      changes: 'nothing',
      reply: 'bare',
      result: Help,
      handle: async () => ({
        name: 'Causeway',
        version: VERSION,
        documentation: '/docs',
        operations: operationLines(all()).map((line) => ({ ...line })),
        kinds: kindLines(),
      }),
    }),
  ];
}

function kindLines(): { kind: string; types: { type: string; mode: Mode }[] }[] {
  return (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => ({
    kind: kindSpec(kind).label,
    types: Object.entries(kindSpec(kind).types).map(([type, mode]) => ({ type, mode })),
  }));
}
