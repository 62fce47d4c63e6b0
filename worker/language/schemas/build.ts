/** Builds what the evaluating library runs, from a schema that was read and found right. */
import { type CompiledSchema, getKeyword } from '@hyperjump/json-schema/experimental';
import { isJsonObject } from '../../../proto/json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import type { Dialect, SchemaObject } from './dialect.ts';
import { leaveScope } from './dynamic-scope.ts';
import type { Faults } from './faults.ts';
import { OF_LIBRARY } from './keyword.ts';
import { nodesOf } from './nodes.ts';
import { Pattern } from './pattern.ts';
import { pointerOf, type Segments } from './place.ts';
import type { Location, Resource, Resources } from './resource.ts';
import { VALUE, valueTest } from './values.ts';

/** A keyword's name for the library, where it is, and what it asks for. */
export type KeywordNode = [id: string, url: string, value: unknown];

/** More expressions in one schema are refused: each remembers what it has seen. Spec silent. */
const MOST_PATTERNS = 100;

/** Schemas that are built between two pauses. */
const SCHEMAS_OF_A_PIECE = 64;

/** Begins the fragment of a schema that is only tried: what is wrong with a value there is no fault. */
export const TRIED = '#?';

/** A schema as the library takes it. */
export interface Built {
  readonly compiled: CompiledSchema;
  /** How many expressions it runs. */
  readonly patterns: number;
  /** Where each schema is, by its URL. */
  readonly places: ReadonlyMap<string, Segments>;
}

/** How a schema is built. */
interface BuildOptions {
  /** A meta-schema whose references to itself ask for an object or a boolean only. */
  readonly isShallow?: boolean;
}

/**
 * Builds every schema that was read and every one that a reference leads to, in pieces.
 * @throws GatewayError BAD_REQUEST when a reference leads to what is no right schema
 */
export function build(
  resources: Resources,
  faults: Faults,
  options: BuildOptions = {},
): Pieces<Built> {
  return new Builder(resources, faults, options).all();
}

class Builder {
  readonly resources: Resources;
  readonly #faults: Faults;
  readonly #isShallow: boolean;
  /** Without a prototype: the library asks with `in`. */
  readonly #metaData: CompiledSchema['ast']['metaData'] = Object.create(null);
  readonly #ast: CompiledSchema['ast'];
  /** Every schema that has a URL. */
  readonly #known: Location[] = [];
  readonly #places = new Map<string, Segments>();
  /** Where references lead. */
  readonly #targets = new Map<string, Location | undefined>();
  readonly #patterns = new Map<string, Pattern | string>();

  constructor(resources: Resources, faults: Faults, { isShallow = false }: BuildOptions) {
    this.resources = resources;
    this.#faults = faults;
    this.#isShallow = isShallow;
    // The type wants these two members to be of the type of all others.
    const bare: unknown = { metaData: this.#metaData, plugins: new Set() };
    this.#ast = bare as CompiledSchema['ast'];
  }

  *all(): Pieces<Built> {
    const { root, locations } = this.resources;
    const pace = new Pace(SCHEMAS_OF_A_PIECE);
    const schemaUri = this.urlOf({ resource: root, segments: [], schema: root.root });
    for (const location of locations.slice()) this.urlOf(location);
    // The list grows while it is gone through.
    for (const location of this.#known) {
      yield* this.#reach(location);
      this.#buildOne(location);
      if (pace.isOver(1)) yield;
      if (location !== this.#known.at(-1)) continue;
      for (const resource of this.resources.all) yield* this.#takeDynamicAnchors(resource);
    }
    const { plugin } = getKeyword(OF_LIBRARY.dynamicRef);
    if (plugin !== undefined && this.#ast.plugins.has(plugin)) {
      this.#ast.plugins = new Set([leaveScope, ...this.#ast.plugins]);
    }
    const compiled = { ast: this.#ast, schemaUri };
    return { compiled, patterns: this.#patterns.size, places: this.#places };
  }

  /** Where the library finds a schema; it is built when its turn comes. */
  urlOf(location: Location): string {
    const { resource, segments, schema } = location;
    const url = `${resource.key}#${pointerOf(segments)}`;
    if (!this.#places.has(url)) {
      this.#places.set(url, [...resource.place, ...segments]);
      this.#ast[url] = schema !== false;
      this.#known.push(location);
    }
    return url;
  }

  /** A schema in the same resource that takes anything. */
  anything({ key }: Resource): string {
    this.#ast[`${key}#!`] = true;
    return `${key}#!`;
  }

  tried(url: string): string {
    const tried = url.replace('#', TRIED);
    this.#ast[tried] = [[OF_LIBRARY.ref, tried, url]];
    return tried;
  }

  /** Where a reference leads that `#reach` has followed. */
  follow(reference: string, from: Resource, place: Segments): Location | undefined {
    const target = this.#targets.get(keyOf(reference, from));
    if (target === undefined) this.#faults.add(place, NO_SCHEMA);
    return target;
  }

  isCut(reference: string): boolean {
    return this.#isShallow && (reference === '#' || reference === '#meta');
  }

  /** @param place where a fault is told; without, it is told elsewhere */
  pattern(source: string, place?: Segments): Pattern | undefined {
    const known = this.#patterns.get(source);
    const isTooMuch = this.#patterns.size >= MOST_PATTERNS;
    const pattern = known ?? (isTooMuch ? TOO_MANY : Pattern.compile(source));
    if (!isTooMuch) this.#patterns.set(source, pattern);
    if (typeof pattern !== 'string') return pattern;
    if (place !== undefined) this.#faults.add(place, pattern);
    return undefined;
  }

  /** Reads what the references of a schema lead to, which may be large. */
  *#reach({ schema, resource }: Location): Pieces<void> {
    if (!isJsonObject(schema)) return;
    for (const keyword of REFERENCES[resource.dialect.draft]) {
      const reference = schema[keyword];
      if (typeof reference !== 'string' || this.isCut(reference)) continue;
      if (this.#targets.has(keyOf(reference, resource))) continue;
      const target = yield* this.resources.resolve(reference, resource);
      this.#targets.set(keyOf(reference, resource), target);
    }
  }

  #buildOne(location: Location): void {
    const { schema, resource } = location;
    if (!isJsonObject(schema)) return;
    const nodes = nodesOf(new Site(this, location, schema), resource.dialect);
    for (const [id] of nodes) {
      const { plugin } = getKeyword(id);
      if (plugin !== undefined) this.#ast.plugins.add(plugin);
    }
    this.#ast[this.urlOf(location)] = nodes;
  }

  *#takeDynamicAnchors(resource: Resource): Pieces<void> {
    const anchors: Record<string, string> = Object.create(null);
    for (const name of resource.dynamicAnchors.keys()) {
      const target = yield* this.resources.resolve(`#${name}`, resource);
      if (target !== undefined) anchors[name] = this.urlOf(target);
    }
    this.#metaData[resource.key] = { dynamicAnchors: anchors };
  }
}

function keyOf(reference: string, { key }: Resource): string {
  return `${key} ${reference}`;
}

/** Keywords that refer to other schemas. */
const REFERENCES: Readonly<Record<Dialect['draft'], readonly string[]>> = {
  '2020-12': ['$ref', '$dynamicRef'],
  '7': ['$ref'],
};
const NO_SCHEMA = 'leads to no schema in this document; others are never fetched';
const TOO_MANY = `is one of more than ${MOST_PATTERNS} patterns`;

/** What the keywords of one schema are built with: where they are, and what they lead to. */
export class Site {
  readonly schema: SchemaObject;
  readonly #builder: Builder;
  readonly #location: Location;

  constructor(builder: Builder, location: Location, schema: SchemaObject) {
    this.#builder = builder;
    this.#location = location;
    this.schema = schema;
  }

  get draft(): Dialect['draft'] {
    return this.#location.resource.dialect.draft;
  }

  /** A keyword, as the library takes it. */
  node(id: string, value: unknown): KeywordNode {
    return [id, this.#builder.urlOf(this.#location), value];
  }

  /** Where the library finds the schema at a place inside this one. */
  url(...place: Segments): string {
    return this.#builder.urlOf(this.#builder.resources.inside(this.#location, place));
  }

  /** The same, of a schema that is only tried. */
  tried(...place: Segments): string {
    return this.#builder.tried(this.url(...place));
  }

  /** The same, of a keyword that may be missing and then takes anything. */
  branch(keyword: string): string {
    const isThere = Object.hasOwn(this.schema, keyword);
    return isThere ? this.url(keyword) : this.#builder.anything(this.#location.resource);
  }

  /** An expression; undefined when it cannot be run, which is a fault of the place, if it is told. */
  pattern(source: string, ...place: Segments): Pattern | undefined {
    return this.#builder.pattern(source, place.length > 0 ? this.#place(place) : undefined);
  }

  /** `$ref`; undefined, and told as a fault, when it leads to no schema. */
  reference(reference: string): KeywordNode | undefined {
    if (this.#builder.isCut(reference)) return this.#kindOnly();
    const target = this.#follow('$ref', reference);
    return target && this.node(OF_LIBRARY.ref, this.#builder.urlOf(target));
  }

  /** `$dynamicRef`, which is a `$ref` unless it leads to a `$dynamicAnchor`. 2020-12, core, section 8.2.3.2. */
  dynamicReference(reference: string): KeywordNode | undefined {
    if (this.#builder.isCut(reference)) return this.#kindOnly();
    const target = this.#follow('$dynamicRef', reference);
    if (target === undefined) return undefined;
    const { resource } = target;
    const url = this.#builder.urlOf(target);
    const name = reference.slice(reference.indexOf('#') + 1);
    return resource.dynamicAnchors.has(name)
      ? this.node(OF_LIBRARY.dynamicRef, [resource.key, name, url])
      : this.node(OF_LIBRARY.ref, url);
  }

  #kindOnly(): KeywordNode {
    return this.node(VALUE, [valueTest('type', ['object', 'boolean'])]);
  }

  #follow(keyword: string, reference: string): Location | undefined {
    return this.#builder.follow(reference, this.#location.resource, this.#place([keyword]));
  }

  #place(below: Segments): Segments {
    const { resource, segments } = this.#location;
    return [...resource.place, ...segments, ...below];
  }
}
