/** References of a transaction's operations to results of earlier ones. Contract §6, "Transactions". */
import { BadReference, membersWith } from '../../../kinds/result-references.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { inOrderOf, namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';

const FIRST = /^\[(\d{1,9})\]/;
/** Values that are looked at between two pauses. */
const VALUES_OF_A_PIECE = 8_192;

/** What a reference is replaced by; undefined leaves it as it is. */
type Replace = (place: number, path: string) => Json | undefined;

/** The value with its references replaced, the same one where there is none. What is in `$literal` is a value of its own. */
export function mapReferences(value: Json, replace: Replace): Json {
  const map = (each: Json) => mapReferences(each, replace);
  if (Array.isArray(value)) return itemsWith(value, map);
  if (!isJsonObject(value)) return value;
  if (isLiteral(value)) return value;
  const path = pathOf(value);
  const place = path === undefined ? undefined : placeOf(path);
  if (path === undefined || place === undefined) return membersWith(value, map);
  return replace(place, path) ?? value;
}

/** Of a reference. */
function pathOf(value: Json): string | undefined {
  if (!isJsonObject(value) || onlyNameOf(value) !== '$result') return undefined;
  const { $result: path } = value;
  return typeof path === 'string' ? path : undefined;
}

/** The operation that a path begins with. */
function placeOf(path: string): number | undefined {
  const found = FIRST.exec(path)?.[1];
  return found === undefined ? undefined : Number(found);
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
  return isNoData(value) ? { $literal: value } : membersWith(value, asData);
}

function isNoData(value: Json): boolean {
  return pathOf(value) !== undefined || isLiteral(value);
}

function isLiteral(value: Json): boolean {
  return isJsonObject(value) && onlyNameOf(value) === '$literal';
}

/** A body whose members are taken as data: looked through in pieces, and copied only where there is something to put away. */
export function* membersAsData(body: JsonObject): Pieces<JsonObject> {
  let isData = true;
  const left: Json[] = [];
  putWithin(body, left);
  yield* goThrough(left, (each) => {
    isData &&= !isNoData(each);
    return isData;
  });
  return isData ? body : membersWith(body, asData);
}

/**
 * Places of the operations whose results an operation uses.
 * @throws GatewayError BAD_REQUEST for one that does not come before it, the first of them
 */
export function* placesIn(value: Json, own: number): Pieces<ReadonlySet<number>> {
  const places = new Set<number>();
  yield* goThrough([value], (each) => {
    const path = pathOf(each);
    if (path === undefined) return !isLiteral(each);
    const place = placeOf(path);
    if (place === undefined) return false;
    if (place >= own) {
      const problem = 'points to an operation that does not come before';
      throw new BadReference(path, problem).within(value, '');
    }
    places.add(place);
    return false;
  });
  return places;
}

/** Looks at values and at the arrays and objects within them, in their order. @param look whether to go within */
function* goThrough(left: Json[], look: (each: Json) => boolean): Pieces<void> {
  const pace = new Pace(VALUES_OF_A_PIECE);
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (look(each)) putWithin(each, left);
    if (pace.isOver(1)) yield;
  }
}

/** Puts the arrays and objects that a value has within behind others, the first of them last. */
function putWithin(value: Json, left: Json[]): void {
  if (Array.isArray(value)) {
    for (let at = value.length - 1; at >= 0; at -= 1) put(value[at], left);
  } else if (isJsonObject(value)) {
    for (const name of namesOf(value).toReversed()) put(value[name], left);
  }
}

function put(value: Json | undefined, left: Json[]): void {
  if (typeof value === 'object' && value !== null) left.push(value);
}
