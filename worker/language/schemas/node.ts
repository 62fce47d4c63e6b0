/** A JSON value as the evaluating library walks it: nodes are made as far as they are walked. */
import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import { isRawJson, type Json, type JsonObject } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';
import { dottedOf, pointerOf, type Segments } from './place.ts';
import type { ValidationBudget } from './validation-budget.ts';

const NONE: readonly string[] = [];

/** A value, a member (whose children are its name and its value), or a member's name. */
export class ValueNode implements JsonNode {
  readonly type: JsonNode['type'];
  readonly value: Json;
  readonly parent: ValueNode;
  /** What checking the whole value has cost so far. */
  readonly work: ValidationBudget;
  /** Of an array, the first two items that are equal; null where none are, undefined while unknown. */
  equal: readonly [number, number] | null | undefined;
  /** A member's name or an item's index. */
  private readonly at: string | number | undefined;
  private made: ValueNode[] | undefined;
  private listed: readonly string[] | undefined;

  constructor(
    value: Json,
    type: JsonNode['type'],
    work: ValidationBudget,
    parent?: ValueNode,
    at?: string | number,
  ) {
    this.value = value;
    this.type = type;
    this.work = work;
    this.parent = parent ?? this;
    this.at = at;
    this.made = undefined;
    this.listed = undefined;
    this.equal = undefined;
  }

  get children(): ValueNode[] {
    this.made ??= this.make();
    return this.made;
  }

  /** How many members or items it has; none of them is made for that. */
  get size(): number {
    if (this.made !== undefined) return this.made.length;
    if (this.type === 'array') return (this.value as Json[]).length;
    return this.names.length;
  }

  /** Names of an object's members; of anything else none. Asked for once: of very many, JavaScript sorts them each time. */
  get names(): readonly string[] {
    this.listed ??= this.type === 'object' ? namesOf(this.value as JsonObject) : NONE;
    return this.listed;
  }

  get root(): ValueNode {
    let node: ValueNode = this;
    while (node.parent !== node) node = node.parent;
    return node;
  }

  get baseUri(): string {
    return '';
  }

  /** The library's own notation of the place; ours is `path`. */
  get pointer(): string {
    return pointerOf(this.segments());
  }

  /** Nothing here collects annotations. */
  get annotations(): Record<string, unknown[]> {
    return {};
  }

  /** Whether it is the name of a member, as `propertyNames` sees it. */
  get isName(): boolean {
    return this.parent.type === 'property' && this.parent.children[0] === this;
  }

  /** Its place in the value, or the place of the member that is asked for. */
  path(member?: string): string {
    const segments = this.segments();
    return dottedOf(member === undefined ? segments : [...segments, member]);
  }

  private segments(): Segments {
    const segments: (string | number)[] = [];
    for (let node: ValueNode = this; ; node = node.parent) {
      if (node.at !== undefined) segments.push(node.at);
      if (node.parent === node) return segments.reverse();
    }
  }

  /** The name and the value of a member that is there, made without the others. */
  member(name: string): { readonly name: ValueNode; readonly value: ValueNode } {
    const { work } = this;
    const member = new ValueNode(null, 'property', work, this, name);
    const [key, value] = [
      new ValueNode(name, 'string', work, member),
      nodeOf((this.value as JsonObject)[name] ?? null, work, member),
    ];
    member.made = [key, value];
    return { name: key, value };
  }

  private make(): ValueNode[] {
    const { value, work } = this;
    const children: ValueNode[] = [];
    // The types were read from the values.
    if (this.type === 'array') {
      for (const item of value as Json[]) children.push(nodeOf(item, work, this, children.length));
    } else if (this.type === 'object') {
      const object = value as JsonObject;
      for (const name of this.names) {
        const member = new ValueNode(null, 'property', work, this, name);
        member.made = [
          new ValueNode(name, 'string', work, member),
          nodeOf(object[name] ?? null, work, member),
        ];
        children.push(member);
      }
    }
    return children;
  }
}

/** The node of an item, made without the others. */
export function itemOf(array: ValueNode, index: number): ValueNode {
  return nodeOf((array.value as Json[])[index] ?? null, array.work, array, index);
}

/** The node of a value; a number kept as text is a number. */
export function nodeOf(
  value: Json,
  work: ValidationBudget,
  parent?: ValueNode,
  at?: string | number,
): ValueNode {
  return new ValueNode(value, typeOf(value), work, parent, at);
}

function typeOf(value: Json): JsonNode['type'] {
  if (typeof value !== 'object') {
    return typeof value as 'string' | 'number' | 'boolean'; // JSON has no other.
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isRawJson(value) ? 'number' : 'object';
}
