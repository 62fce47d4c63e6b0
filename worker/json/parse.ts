/** `/json/parse`: an object from path to the value there. Contract §7. */
import type { Json } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Budget } from '../language/paths/budget.ts';
import type { Notation, Path } from '../language/paths/path.ts';
import { type ResultLimits, resultMaxBytes, resultTooLarge, searchBudget } from './limits.ts';
import { ObjectWriter } from './object-writer.ts';
import { Places } from './places.ts';
import { Size, SMALL_VALUES, VALUES_OF_A_PIECE } from './size.ts';

/** Bytes of a value up to which it is written at once. */
const SMALL_BYTES = 32 * 1024;

/** What is asked of a document. */
export interface Search {
  readonly json: Json;
  readonly paths: readonly Path[];
}

/**
 * The object, written.
 * @throws GatewayError RESULT_TOO_LARGE, BAD_REQUEST
 */
export function* parsed(search: Search, limits: ResultLimits): Pieces<Uint8Array> {
  const maxBytes = resultMaxBytes(limits);
  const writer = new ObjectWriter(maxBytes);
  let written = 0;
  const count = (bytes: number) => {
    written += bytes;
    if (written > maxBytes) throw resultTooLarge(maxBytes);
  };
  yield* parsePaths(search, (path, value, budget) => {
    // Some of what is written twice over is known to be too much before it is written.
    const size = new Size(value, budget);
    const room = maxBytes - written - path.length;
    if (!size.measure(room, SMALL_VALUES) || size.bytes > SMALL_BYTES)
      return put(path, value, size);
    count(path.length + size.bytes);
    writer.put(path, value);
    return undefined;
  });
  return writer.finish();

  function* put(path: string, value: Json, size: Size): Pieces<void> {
    const room = maxBytes - written - path.length;
    while (!size.measure(room, VALUES_OF_A_PIECE)) yield;
    count(path.length + size.bytes);
    yield* writer.putInPieces(path, value);
  }
}

/**
 * Hands over each value with its own path, each path once. Spec silent: what is not there is left
 * out, and a path that names one place by its form stays as it was given.
 */
export function* parsePaths(
  { json, paths }: Search,
  put: (path: string, value: Json, budget: Budget) => Pieces<void> | undefined,
): Pieces<void> {
  const budget = searchBudget('paths');
  const [only, another] = paths;
  if (only && !another && !only.mayRepeat) {
    yield* only.search(json, budget, (match) =>
      put(only.pathOf(match, budget), match.value, budget),
    );
    return;
  }
  const known = new Set<string>();
  const places = new Map<Notation, Places>();
  for (const path of paths) {
    const found = path.isSingle ? undefined : placesOf(places, path);
    yield* path.search(json, budget, (match) => {
      if (found?.add(match, budget) === false) return undefined;
      const own = path.pathOf(match, budget);
      if (known.has(own)) return undefined;
      known.add(own);
      return put(own, match.value, budget);
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
