/** A JSON value as the evaluating library walks it: nodes are made as far as they are walked. */
import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import { isRawJson, type Json } from '../../proto/json.ts';
import { dotted, type Segments } from './place.ts';
import type { Work } from './work.ts';

const NONE: ValueNode[] = [];

/** A value, a member (whose children are its name and its value), or a member's name. */
export class ValueNode implements JsonNode {
  readonly baseUri = '';
  readonly type: JsonNode['type'];
  readonly value: Json;
  readonly parent?: ValueNode;
  /** What checking the whole value has cost so far. */
  readonly work: Work;
  readonly #at: string | number | undefined;
  #children: ValueNode[] | undefined;

  constructor(
    value: Json,
    type: JsonNode['type'],
    work: Work,
    parent?: ValueNode,
    at?: string | number,
  ) {
    this.value = value;
    this.type = type;
    this.work = work;
    if (parent !== undefined) this.parent = parent;
    this.#at = at;
  }

  get children(): ValueNode[] {
    this.#children ??= this.#makeChildren();
    return this.#children;
  }

  get root(): ValueNode {
    return this.parent?.root ?? this;
  }

  /** The library's own notation of the place; ours is `path`. */
  get pointer(): string {
    return this.segments()
      .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
  }

  /** Nothing here collects annotations. */
  get annotations(): Record<string, unknown[]> {
    return {};
  }

  /** Whether it is the name of a member, as `propertyNames` sees it. */
  get isName(): boolean {
    return this.parent?.type === 'property' && this.parent.children[0] === this;
  }

  /** Its place in the value, or the place of the member that is asked for. */
  path(member?: string): string {
    const segments = this.segments();
    return dotted(member === undefined ? segments : [...segments, member]);
  }

  segments(): Segments {
    const segments: (string | number)[] = [];
    for (let node: ValueNode | undefined = this; node !== undefined; node = node.parent) {
      if (node.#at !== undefined) segments.push(node.#at);
    }
    return segments.reverse();
  }

  #makeChildren(): ValueNode[] {
    const { value, work } = this;
    if (this.type === 'array') {
      // The type was read from the value.
      return (value as Json[]).map((item, index) => nodeOf(item, work, this, index));
    }
    if (this.type !== 'object') return NONE;
    return Object.entries(value as { [name: string]: Json }).map(([name, of]) => {
      const member = new ValueNode(null, 'property', work, this, name);
      member.#children = [new ValueNode(name, 'string', work, member), nodeOf(of, work, member)];
      return member;
    });
  }
}

/** The node of a value; a number kept as text is a number. */
export function nodeOf(
  value: Json,
  work: Work,
  parent?: ValueNode,
  at?: string | number,
): ValueNode {
  return new ValueNode(value, typeOf(value), work, parent, at);
}

function typeOf(value: Json): JsonNode['type'] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') {
    return typeof value as 'string' | 'number' | 'boolean'; // JSON has no other.
  }
  return isRawJson(value) ? 'number' : 'object';
}
