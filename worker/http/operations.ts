/** The operations of routes, one by one: each method on each path is one. */
import { actionOf } from '../audit/action.ts';
import { type AnyRoute, type Method, methodsOf, pathsOf } from '../route.ts';
import { wholePath } from './run.ts';

/** A route, met by one of its methods on one of its paths. */
export interface Operation {
  /** Stable and unique: the audit's name of it, such as `endpointCreate` or `authLoginByGet`. */
  readonly id: string;
  readonly route: AnyRoute;
  readonly method: Method;
  /** Whole, with parameters as `{name}`. */
  readonly path: string;
  /** Whether it is one of several spellings, and not the first. */
  readonly isOther: boolean;
}

/** All of them, in the order of the routes. */
export function operationsOf(routes: readonly AnyRoute[]): Operation[] {
  return routes.flatMap((route) =>
    pathsOf(route).flatMap((path, nth) =>
      methodsOf(route).map((method, mth) => ({
        id: [
          nameOf(route),
          // Where several serve alike, the others say what sets them apart from the first.
          nth === 0 ? '' : `At${capitalized(path.slice(1))}`,
          mth === 0 ? '' : `By${capitalized(method.toLowerCase())}`,
        ].join(''),
        route,
        method,
        isOther: nth + mth > 0,
        path: wholePath(route, path).replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}'),
      })),
    ),
  );
}

/** Names that say less by themselves than in the audit, or that languages keep for themselves. */
const NAMES: Readonly<Record<string, string>> = { new: 'organizationCreate' };

function nameOf(route: AnyRoute): string {
  const action = actionOf(route);
  const [first, ...rest] = action.split(/[._]/);
  return NAMES[action] ?? [first, ...rest.map(capitalized)].join('');
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
