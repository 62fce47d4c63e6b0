/** Finds what references of a schema lead to: in the schema itself or in documents that are at hand. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { type Dialect, DRAFTS, dialectOf, type SchemaObject, schemasIn } from './dialect.ts';
import { type Fault, type Faults, MOST_FAULTS } from './faults.ts';
import type { Segments } from './place.ts';

/** More schemas inside one document are refused. Spec silent. */
const MOST_SCHEMAS = 6_000;
/** Schemas that are read between two pauses. */
const SCHEMAS_OF_A_PIECE = 32;
/** The base of relative references of a schema that has no `$id`; no document is there. */
const NOWHERE = 'schema:///';

/** A schema with an identifier of its own, and what is in it. */
export interface Resource {
  /** Without a fragment. */
  readonly uri: string;
  /** Its name while it is evaluated; an `$id` never is one. */
  readonly key: string;
  readonly root: Json;
  readonly dialect: Dialect;
  /** Where it is, for faults. */
  readonly place: Segments;
  readonly anchors: Map<string, Segments>;
  readonly dynamicAnchors: Map<string, Segments>;
}

/** A schema and where it is. */
export interface Location {
  readonly resource: Resource;
  readonly segments: Segments;
  readonly schema: Json;
}

/** What a document is read with. */
interface ResourceContext {
  /** Documents that references may lead to, by URI; no other is ever asked for. */
  readonly documents: ReadonlyMap<string, Json>;
  readonly faults: Faults;
  /** What its meta-schema says against one schema, leaving out the schemas in it. */
  readonly check: (schema: Json, dialect: Dialect) => Pieces<readonly Fault[]>;
}

/** What one schema consists of, with what it refers to. Nothing of one is seen by another. */
export class Resources {
  readonly #reading: ResourceContext;
  readonly #byUri = new Map<string, Resource>();
  readonly #embedded = new Map<Json, Resource>();
  readonly #seen = new Set<Json>();
  /** Every resource that was read. */
  readonly all: Resource[] = [];
  /** Every schema that was read, in the order of the documents. */
  readonly locations: Location[] = [];
  readonly #pace = new Pace(SCHEMAS_OF_A_PIECE);
  #root: Resource | undefined;

  private constructor(reading: ResourceContext) {
    this.#reading = reading;
  }

  /**
   * Reads a document, in pieces; it is not copied, and no object may be in it twice.
   * @throws GatewayError BAD_REQUEST with every fault that its meta-schema finds
   */
  static *read(document: Json, reading: ResourceContext): Pieces<Resources> {
    const resources = new Resources(reading);
    resources.#root = yield* resources.#read(document, NOWHERE, [], DEFAULT);
    return resources;
  }

  /** The document itself. @throws Error while it is read */
  get root(): Resource {
    if (this.#root === undefined) throw new Error('The document is not read yet');
    return this.#root;
  }

  /**
   * Where a reference leads; what is there is read, in pieces.
   * @returns undefined when there is no schema
   * @throws GatewayError BAD_REQUEST when what it leads to is no right schema
   */
  *resolve(reference: string, from: Resource): Pieces<Location | undefined> {
    const [, uri = '', fragment = ''] = /^([^#]*)#?(.*)$/s.exec(reference) ?? [];
    const resource = uri === '' ? from : yield* this.#resourceAt(absolute(uri, from.uri));
    const name = decoded(fragment);
    if (resource === undefined || name === undefined) return undefined;
    if (name === '') return { resource, segments: [], schema: resource.root };
    if (!name.startsWith('/')) return this.#anchored(resource, name);
    const found = this.#pointed(resource, name);
    if (found === undefined) return undefined;
    yield* this.#readFrom(found);
    const embedded = this.#embedded.get(found.schema);
    return embedded ? { resource: embedded, segments: [], schema: found.schema } : found;
  }

  /** The schema at a place inside another; it belongs to itself when it has an identifier. */
  inside({ resource, segments, schema }: Location, place: Segments): Location {
    const found = stepsFrom(schema, place) ?? true;
    const embedded = this.#embedded.get(found);
    return embedded
      ? { resource: embedded, segments: [], schema: found }
      : { resource, segments: [...segments, ...place], schema: found };
  }

  *#resourceAt(uri: string | undefined): Pieces<Resource | undefined> {
    if (uri === undefined) return undefined;
    const known = this.#byUri.get(uri);
    if (known !== undefined) return known;
    const document = this.#reading.documents.get(uri);
    if (document === undefined) return undefined;
    return yield* this.#read(document, uri, [uri], this.root.dialect);
  }

  #anchored(resource: Resource, name: string): Location | undefined {
    const segments = resource.anchors.get(name) ?? resource.dynamicAnchors.get(name);
    return segments && { resource, segments, schema: stepsFrom(resource.root, segments) ?? null };
  }

  /** Follows a pointer; what lies in a resource of its own belongs to that. */
  #pointed(from: Resource, pointer: string): Location | undefined {
    let at: Location = { resource: from, segments: [], schema: from.root };
    for (const part of pointer.slice(1).split('/')) {
      const segment = unescaped(part, at.schema);
      const schema = stepsFrom(at.schema, [segment]);
      if (schema === undefined) return undefined;
      const embedded = this.#embedded.get(schema);
      at =
        embedded === undefined
          ? { resource: at.resource, segments: [...at.segments, segment], schema }
          : { resource: embedded, segments: [], schema };
    }
    return typeof at.schema === 'boolean' || isJsonObject(at.schema) ? at : undefined;
  }

  *#read(document: Json, uri: string, place: Segments, inherited: Dialect): Pieces<Resource> {
    const resource = this.#open(document, uri, place, inherited);
    this.#byUri.set(uri, resource);
    yield* this.#readFrom({ resource, segments: [], schema: document });
    // By its `$id`, if it has one.
    return this.#byUri.get(uri) ?? resource;
  }

  /** Reads a schema and all in it that were not read yet, without recursion: any depth will do. */
  *#readFrom(location: Location): Pieces<void> {
    const left = [location];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (this.#seen.has(next.schema)) continue;
      const here = yield* this.#readOne(next);
      if (this.#pace.isOver(1)) yield;
      const inside = this.#unread(here);
      for (let at = inside.length - 1; at >= 0; at -= 1) left.push(inside[at] as Location); // There.
    }
    this.#reading.faults.throwIfAny();
  }

  /** Schemas in one that were not read yet: no more of them than show that there are too many. */
  #unread({ schema, resource, segments }: Location): Location[] {
    if (!isJsonObject(schema)) return [];
    return schemasIn(schema, resource.dialect)
      .filter(([, each]) => !this.#seen.has(each))
      .slice(0, MOST_SCHEMAS + 1)
      .map(([place, each]) => ({ resource, segments: [...segments, ...place], schema: each }));
  }

  *#readOne(location: Location): Pieces<Location> {
    const { schema } = location;
    const here = isJsonObject(schema) ? this.#identified(location, schema) : location;
    this.locations.push(here);
    const { faults, check } = this.#reading;
    const place = [...here.resource.place, ...here.segments];
    if (this.locations.length > MOST_SCHEMAS) {
      faults.add(place, `is one of more than ${MOST_SCHEMAS} schemas`);
      faults.throwIfAny();
    }
    const found = yield* check(schema, here.resource.dialect);
    for (const { path, message } of found.slice(0, MOST_FAULTS)) faults.add(place, message, path);
    return here;
  }

  /** Takes in `$id` and anchors. In draft 7, `$ref` hides what is next to it. */
  #identified(location: Location, schema: SchemaObject): Location {
    this.#seen.add(schema as Json);
    let here = location;
    const { draft } = here.resource.dialect;
    const isHidden = draft === '7' && typeof schema.$ref === 'string';
    const id = isHidden || typeof schema.$id !== 'string' ? '' : schema.$id;
    const [, uri = '', anchor = ''] = /^([^#]*)#?(.*)$/s.exec(id) ?? [];
    if (uri !== '') here = this.#named(location, schema, uri);
    const { anchors, dynamicAnchors } = here.resource;
    if (draft === '7' && anchor !== '') anchors.set(anchor, here.segments);
    if (draft === '7') return here;
    if (typeof schema.$anchor === 'string') anchors.set(schema.$anchor, here.segments);
    if (typeof schema.$dynamicAnchor === 'string') {
      dynamicAnchors.set(schema.$dynamicAnchor, here.segments);
    }
    return here;
  }

  /** A schema with an `$id` of its own; the root of a document has two names then. */
  #named(location: Location, schema: SchemaObject, id: string): Location {
    const { resource, segments } = location;
    const uri = absolute(id, resource.uri);
    const place = [...resource.place, ...segments];
    if (uri === undefined) {
      this.#reading.faults.add([...place, '$id'], 'is no URI');
      return location;
    }
    const named = this.#open(schema as Json, uri, place, resource.dialect);
    if (!this.#byUri.has(uri)) this.#byUri.set(uri, named);
    if (segments.length === 0) this.#byUri.set(resource.uri, named);
    else this.#embedded.set(schema as Json, named);
    return { resource: named, segments: [], schema: schema as Json };
  }

  #open(root: Json, uri: string, place: Segments, inherited: Dialect): Resource {
    const resource: Resource = {
      uri,
      key: String(this.all.length),
      root,
      dialect: this.#dialect(root, place, inherited),
      place,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    this.all.push(resource);
    return resource;
  }

  #dialect(root: Json, place: Segments, inherited: Dialect): Dialect {
    const uri = isJsonObject(root) ? root.$schema : undefined;
    if (typeof uri !== 'string') return inherited;
    const known = DRAFTS.get(uri.replace(/#$/, ''));
    if (known !== undefined) return known;
    const metaSchema = this.#reading.documents.get(uri);
    const dialect = metaSchema === undefined ? UNKNOWN : dialectOf(metaSchema);
    if (typeof dialect !== 'string') return dialect;
    this.#reading.faults.add([...place, '$schema'], dialect);
    return inherited;
  }
}

const DEFAULT: Dialect = { draft: '2020-12', without: new Set() };
const UNKNOWN = `is no draft that is known: ${[...DRAFTS.keys()].join(' or ')}`;

/** The absolute URI of a reference without its fragment; undefined for an invalid one. */
function absolute(reference: string, base: string): string | undefined {
  const url = URL.canParse(reference, base) ? new URL(reference, base) : undefined;
  return url?.href.replace(/#.*$/s, '');
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** RFC 6901, section 4. */
function unescaped(part: string, parent: Json): string | number {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
  return Array.isArray(parent) && /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : name;
}

function stepsFrom(start: Json, segments: Segments): Json | undefined {
  let value: Json | undefined = start;
  for (const segment of segments) {
    if (Array.isArray(value) && typeof segment === 'number') value = value[segment];
    else if (isJsonObject(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return undefined;
  }
  return value;
}
