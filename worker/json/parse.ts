/** `/json/parse`: an object from path to the value there. Contract §7. */
import type { Json } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Context } from '../context.ts';
import { inPieces } from '../heavy-work.ts';
import type { JsonBytes } from '../http/route.ts';
import type { Budget } from '../paths/budget.ts';
import type { Notation, Path } from '../paths/path.ts';
import { resultMaxBytes, searchBudget, tooLarge } from './limits.ts';
import { ObjectWriter } from './object-writer.ts';
import { Places } from './places.ts';
import { sizeOf } from './size.ts';

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
  let size = 0;
  yield* parse(search, (path, value, budget) => {
    // Some of what is written twice over is known to be too much before it is written.
    size += path.length + sizeOf(value, maxBytes - size, budget);
    if (size > maxBytes) throw tooLarge(maxBytes);
    writer.put(path, value);
  });
  return writer.finish();
}

/**
 * Hands over each value with its own path, each path once. Spec silent: what is not there is left
 * out, and a path that names one place by its form stays as it was given.
 */
export function* parse(
  { json, paths }: Search,
  put: (path: string, value: Json, budget: Budget) => void,
): Pieces<void> {
  const budget = searchBudget('paths');
  const [only, another] = paths;
  if (only && !another && !only.mayRepeat) {
    only.each(json, budget, (match) => put(only.pathOf(match, budget), match.value, budget));
    return;
  }
  const known = new Set<string>();
  const places = new Map<Notation, Places>();
  for (const path of paths) {
    const found = path.isSingle ? undefined : placesOf(places, path);
    path.each(json, budget, (match) => {
      if (found?.add(match, budget) === false) return;
      const own = path.pathOf(match, budget);
      if (known.has(own)) return;
      known.add(own);
      put(own, match.value, budget);
    });
    yield;
  }
}

/** Of all paths of one notation: one place has one path in it. */
function placesOf(all: Map<Notation, Places>, { notation }: Path): Places {
  const known = all.get(notation) ?? new Places();
  all.set(notation, known);
  return known;
}
