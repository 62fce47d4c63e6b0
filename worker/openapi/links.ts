/** Links between operations: which ones take what a reply names. OpenAPI 3.1, "Link Object". */
import * as z from 'zod';
import type { Operation } from '../http/operations.ts';

/** A link as the description has it. */
export interface Link {
  readonly operationId: string;
  /** Runtime expressions by the parameters they are for. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

/** Parameters of an operation. */
interface LinkParameters {
  readonly path: readonly string[];
  /** Of the query and of headers. */
  readonly needed: readonly string[];
  readonly others: readonly string[];
}

/** Where a list goes on: it is useful only to the same list. */
const CURSOR = 'cursor';

/** The links of one operation, by the ids of those they lead to; `undefined` when there are none. */
export function linksOf(
  operation: Operation,
  all: readonly Operation[],
): Record<string, Link> | undefined {
  const links = all.flatMap((each) => linkTo(each, operation));
  return links.length === 0
    ? undefined
    : Object.fromEntries(links.map((link) => [link.operationId, link]));
}

function linkTo(target: Operation, from: Operation): Link[] {
  const { path, needed, others } = takenBy(target);
  const named = namedBy(from, target);
  const found = [...path, ...needed, ...others].filter((name) => named[name] !== undefined);
  const own = takenBy(from).path.filter((name) => path.includes(name) && !found.includes(name));
  const isWhole = [...path, ...needed].every((name) => found.includes(name) || own.includes(name));
  if (found.length === 0 || !isWhole) return [];
  const parameters = Object.fromEntries([
    ...own.map((name) => [name, `$request.path.${name}`]),
    ...found.map((name) => [name, `$response.body#${named[name]}`]),
  ]);
  return [{ operationId: target.id, parameters, description: target.route.summary }];
}

/** Where in the whole reply the value is that the target takes. */
function namedBy(
  { route }: Operation,
  target: Operation,
): Readonly<Record<string, string | undefined>> {
  const { names = {}, reply, accepted } = route;
  const within = reply === 'data' && accepted === undefined ? '/data' : '';
  return Object.fromEntries(
    Object.entries(names)
      .filter(([name]) => name !== CURSOR || target.route === route)
      .map(([name, at]) => [name, `${within}${at}`]),
  );
}

function takenBy({ route: { query, headers }, path }: Operation): LinkParameters {
  const members = [query, headers].flatMap((each) =>
    each instanceof z.ZodObject ? Object.entries<z.core.$ZodType>(each.shape) : [],
  );
  const isNeeded = ([, member]: [string, z.core.$ZodType]) => member._zod.optin === undefined;
  return {
    path: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    needed: members.filter(isNeeded).map(([name]) => name),
    others: members.filter((each) => !isNeeded(each)).map(([name]) => name),
  };
}
