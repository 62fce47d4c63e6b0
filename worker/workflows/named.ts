/** What a definition names, found before it is read. */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { namesOf } from '../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../proto/work/pieces.ts';
import { comparedName } from '../shapes/ids.ts';

/** Values that are looked at between two pauses. */
const VALUES_OF_A_PIECE = 4_096;

/** Something that a request or template reaches. */
export interface ReachedResource {
  readonly kind: 'endpoint' | 'template';
  readonly id: string;
}

/** What a definition names, in pieces, known before it can be read: which kind an endpoint is of decides how. */
export function* namesIn(json: Json): Pieces<readonly ReachedResource[]> {
  const found = new Map<string, ReachedResource>();
  const pace = new Pace(VALUES_OF_A_PIECE);
  const left = [json];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const inside = isJsonObject(next) ? membersIn(next, found) : Array.isArray(next) ? next : [];
    for (const each of inside) if (typeof each === 'object' && each !== null) left.push(each);
    if (pace.isOver(1 + inside.length)) yield;
  }
  return [...found.values()];
}

function membersIn(json: JsonObject, found: Map<string, ReachedResource>): Json[] {
  noteNames(json, found);
  return namesOf(json).map((name) => json[name] ?? null);
}

function noteNames(json: JsonObject, found: Map<string, ReachedResource>): void {
  for (const kind of ['endpoint', 'template'] as const) {
    const named = json[kind];
    if (typeof named === 'string') found.set(`${kind}:${named}`, { kind, id: comparedName(named) });
  }
}
