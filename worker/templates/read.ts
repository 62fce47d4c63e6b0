/** Reads definitions, and remembers what was read: versions never change. */

import type { Kind } from '../../kinds/index.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import { parseInPieces } from '../../proto/json-pieces.ts';
import { LruMap } from '../../proto/lru-map.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parseAsWrittenInPieces, parseDefinitionInPieces } from '../../proto/written-json.ts';
import type { TemplateVersionRow } from '../db/templates.ts';
import type { Compiled, CompileResult } from './compiled.ts';
import { readDataAccess } from './data-access/index.ts';
import { type DataAccessDefinition, type Definition, isDataAccess } from './definition.ts';
import { transformationInPieces } from './transformation/index.ts';

/** Templates that an isolate remembers, and their bytes together, roughly. Spec silent. */
const REMEMBERED = { most: 1_000, bytes: 16 * 1024 * 1024 };

/** By organization, template and version, which say all that a definition is. */
const known = new LruMap<string, Compiled>(REMEMBERED.most, {
  most: REMEMBERED.bytes,
  of: ({ weight }) => weight,
});

/** The kind of an endpoint; undefined when there is none of that name. */
type KindOf = (endpoint: string) => Kind | undefined;

/** What a definition is, or all its faults; in pieces, because it may have many thousand rules. */
export function* readDefinition(definition: Definition, kindOf: KindOf): Pieces<CompileResult> {
  return isDataAccess(definition)
    ? readDataAccess(definition, kindOf)
    : yield* transformationInPieces(definition);
}

/** A version as it was remembered, and how to remember it. */
interface Memory {
  get(): Compiled | undefined;
  set(compiled: Compiled): void;
}

/** @param kinds of the endpoints that it reaches by itself: another endpoint may have taken a name */
export function memoryOf(
  orgUuid: string,
  { uuid, version }: { readonly uuid: string; readonly version: string },
  kinds: readonly string[],
): Memory {
  const key = `${orgUuid}:${uuid}:${version}:${kinds.join()}`;
  return { get: () => known.get(key), set: (compiled) => known.set(key, compiled) };
}

/**
 * A stored version, read in pieces.
 * @throws GatewayError TEMPLATE_FAILED when it no longer fits the endpoints that it names
 */
export function* readVersion(
  id: string,
  { definition }: TemplateVersionRow,
  kindOf: KindOf,
): Pieces<Compiled> {
  const { compiled, faults } = yield* readDefinition(yield* definitionOf(definition), kindOf);
  if (compiled) return compiled;
  throw new GatewayError('TEMPLATE_FAILED', `Template ${id} no longer fits what it reaches`, {
    details: faults,
  });
}

/** A definition as it was stored, in pieces. */
export function* definitionOf(stored: string): Pieces<Definition & JsonObject> {
  const plain = yield* parseInPieces(stored);
  // It was checked before it was stored.
  const definition = (yield* parseAsWrittenInPieces(stored, plain)) as unknown as Definition &
    JsonObject;
  if (!isDataAccess(definition)) return definition;
  const { template } = (yield* parseDefinitionInPieces(stored)) as unknown as DataAccessDefinition;
  return { ...definition, template };
}
