/** References of a transaction's operations to results of earlier ones. Contract §6, "Transactions". */
import { membersWith } from '../../../kinds/result-references.ts';
import { badRequest } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { inOrderOf, onlyNameOf } from '../../../proto/ordered-json.ts';

const FIRST = /^\[(\d{1,9})\]/;

/** What a reference is replaced by; undefined leaves it as it is. */
type Replace = (place: number, path: string) => Json | undefined;

/** The value with its references replaced. What is in `$literal` is a value of its own. */
export function mapReferences(value: Json, replace: Replace): Json {
  if (Array.isArray(value)) {
    return inOrderOf(
      value.map((each) => mapReferences(each, replace)),
      value,
    );
  }
  if (!isJsonObject(value)) return value;
  const [[name, inner] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name === '$literal') return value;
  if (others.length === 0 && name === '$result' && typeof inner === 'string') {
    const place = FIRST.exec(inner)?.[1];
    if (place !== undefined) return replace(Number(place), inner) ?? value;
  }
  const members = Object.entries(value).map(
    ([key, member]) => [key, mapReferences(member, replace)] as const,
  );
  return inOrderOf(Object.fromEntries(members), value);
}

/** The value as data: what would be taken for a reference or a literal is put into `$literal`. The same value where there is none. */
export function asData(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(asData);
    return items.some((item, at) => item !== value[at]) ? inOrderOf(items, value) : value;
  }
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
      const shown = path.slice(0, 200);
      throw badRequest('$result', problem, `The reference ${shown} ${problem}`);
    }
    places.add(place);
    return undefined;
  });
  return places;
}
