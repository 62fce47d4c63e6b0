/** References of a transaction's operations to results of earlier ones. Contract §6, "Transactions". */
import { BadReference, membersWith } from '../../../kinds/result-references.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { inOrderOf, onlyNameOf } from '../../../proto/ordered-json.ts';

const FIRST = /^\[(\d{1,9})\]/;

/** What a reference is replaced by; undefined leaves it as it is. */
type Replace = (place: number, path: string) => Json | undefined;

/** The value with its references replaced, the same one where there is none. What is in `$literal` is a value of its own. */
export function mapReferences(value: Json, replace: Replace): Json {
  const map = (each: Json) => mapReferences(each, replace);
  if (Array.isArray(value)) return itemsWith(value, map);
  if (!isJsonObject(value)) return value;
  const name = onlyNameOf(value);
  if (name === '$literal') return value;
  const path = name === '$result' ? value.$result : undefined;
  const place = typeof path === 'string' ? FIRST.exec(path)?.[1] : undefined;
  if (place === undefined) return membersWith(value, map);
  return replace(Number(place), path as string) ?? value; // As it was looked at.
}

/** The list with what `map` makes of its items: the same one where that is nothing else. */
function itemsWith(items: Json[], map: (item: Json) => Json): Json[] {
  const mapped = items.map(map);
  return mapped.some((item, at) => item !== items[at]) ? inOrderOf(mapped, items) : items;
}

/** The value as data: what would be taken for a reference or a literal is put into `$literal`. The same value where there is none. */
export function asData(value: Json): Json {
  if (Array.isArray(value)) return itemsWith(value, asData);
  if (!isJsonObject(value)) return value;
  const name = onlyNameOf(value);
  const isReference = name === '$result' && typeof value.$result === 'string';
  return isReference || name === '$literal' ? { $literal: value } : membersWith(value, asData);
}

/**
 * Places of the operations whose results an operation uses.
 * @throws GatewayError BAD_REQUEST for one that does not come before it
 */
export function placesIn(value: Json, own: number): ReadonlySet<number> {
  const places = new Set<number>();
  mapReferences(value, (place, path) => {
    if (place >= own) {
      const problem = 'points to an operation that does not come before';
      throw new BadReference(path, problem).within(value, '');
    }
    places.add(place);
    return undefined;
  });
  return places;
}
