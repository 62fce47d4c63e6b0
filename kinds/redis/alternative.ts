/** Which alternative of a choice a value means; and what scopes are asked about their members. */
import type { Json, JsonObject } from '../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../proto/ordered-json.ts';
import { type Choice, type Member, type Node, plainName, type Scope } from './grammar.ts';
import { isMembers } from './words.ts';

/** An alternative, and what is in it. */
export interface Chosen {
  readonly scope: Scope;
  readonly inner: Json;
  /** The member that named it. */
  readonly name?: string;
}

/** Whether a node is written from a member. */
export function isMember(node: Node): node is Member {
  return node.is !== 'literal' && node.is !== 'count' && node.is !== 'ignored';
}

/** Whether a node's member must be there. */
export function isRequired(node: Node): boolean {
  return isMember(node) && node.is !== 'flag' && !node.optional;
}

/** The first names of a scope's members. */
export function firstNames(scope: Scope): string[] {
  return scope.nodes.flatMap((node) => (isMember(node) ? [node.names[0] ?? ''] : []));
}

/** The alternative that a value means; undefined when it means none. */
export function alternativeOf(choice: Choice, value: Json): Chosen | undefined {
  if (typeof value === 'string') {
    const scope = choice.alternatives.get(plainName(value));
    if (scope?.nodes.some(isRequired) === false) return { scope, inner: {} };
  }
  if (!isMembers(value)) return bare(choice, value);
  return byName(choice, value) ?? byType(choice, value) ?? byMembers(choice, value);
}

/** A text of the first alternative, or a list of the one that is a list. */
function bare({ alternatives, isBare }: Choice, value: Json): Chosen | undefined {
  const scopes = [...new Set(alternatives.values())];
  const only = (scope: Scope) => {
    const [first, ...others] = scope.nodes.filter(isMember);
    return first?.is === 'value' && others.length === 0 ? first : undefined;
  };
  const scope = Array.isArray(value)
    ? scopes.find((each) => only(each)?.many)
    : scopes.find((each) => isBare && only(each) !== undefined);
  return scope && { scope, inner: value };
}

/** `{EX: 60}`, `{EX: {seconds: 60}}`, `{KEEPTTL: true}`. */
function byName({ alternatives }: Choice, value: JsonObject): Chosen | undefined {
  const name = onlyNameOf(value);
  const inner = name === undefined ? undefined : value[name];
  if (name === undefined || inner === undefined) return undefined;
  const scope = alternatives.get(plainName(name));
  const isSwitch = inner === true && scope?.nodes.some(isRequired) === false;
  return scope && { scope, inner: isSwitch ? {} : inner, name };
}

/** `{type: 'AUTH2', username, password}`. */
function byType({ alternatives }: Choice, { type, ...inner }: JsonObject): Chosen | undefined {
  const scope = typeof type === 'string' ? alternatives.get(plainName(type)) : undefined;
  return scope && { scope, inner };
}

/** The first alternative that has all its members. */
function byMembers({ alternatives }: Choice, value: JsonObject): Chosen | undefined {
  const names = namesOf(value).map(plainName);
  if (names.length === 0) return undefined;
  const has = ({ slots }: Scope) => names.every((name) => slots.has(name));
  const scope = [...alternatives.values()].find(has);
  return scope && { scope, inner: value };
}
