/** `/json/parse`: an object from path to the value there. Contract §7. */
import type { Json } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Context } from '../context.ts';
import { inPieces } from '../heavy-work.ts';
import type { JsonBytes } from '../http/route.ts';
import type { Path } from '../paths/path.ts';
import { resultMaxBytes, searchBudget } from './limits.ts';
import { ObjectWriter } from './object-writer.ts';

/** What is asked of a document. */
export interface Search {
  readonly json: Json;
  readonly paths: readonly Path[];
}

/** @throws GatewayError RESULT_TOO_LARGE, BAD_REQUEST, SERVICE_UNAVAILABLE */
export function parsePaths(ctx: Context, { body }: { body: Search }): Promise<JsonBytes> {
  return inPieces(ctx, written(body, resultMaxBytes(ctx.settings)));
}

function* written(search: Search, maxBytes: number): Pieces<JsonBytes> {
  const writer = new ObjectWriter(maxBytes);
  yield* parse(search, (path, value) => writer.put(path, value));
  return writer.finish();
}

/**
 * Hands over each value with its own path, each path once. Spec silent: what is not there is left
 * out, and a path that names one place by its form stays as it was given.
 */
export function* parse(
  { json, paths }: Search,
  put: (path: string, value: Json) => void,
): Pieces<void> {
  const budget = searchBudget('paths');
  const [only, another] = paths;
  if (only && !another && !only.mayRepeat) {
    only.each(json, budget, (match) => put(only.pathOf(match), match.value));
    return;
  }
  const known = new Set<string>();
  for (const path of paths) {
    path.each(json, budget, (match) => {
      const own = path.pathOf(match);
      if (known.has(own)) return;
      known.add(own);
      put(own, match.value);
    });
    yield;
  }
}
