/** Compiles array, object and template literals. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { toName, toText } from '../convert.ts';
import { copyMembers, define, ELEMENT_BYTES, elementsOf, MEMBER_BYTES } from '../members.ts';
import type { ObjectValue, Value } from '../value.ts';
import type { Code, Context, Frame } from './code.ts';

/** `[a, ...b]`; a hole is undefined. */
export function arrayLiteral(node: acorn.ArrayExpression, context: Context): Code {
  const items = itemsOf(node.elements, context);
  return (frame, budget) => budget.own(items(frame, budget));
}

/** Values in a row, such as arguments: a fresh array each time. */
export function itemsOf(
  nodes: readonly (acorn.Expression | acorn.SpreadElement | null)[],
  context: Context,
): (frame: Frame, budget: Budget) => Value[] {
  context.toll.bytes += ELEMENT_BYTES * (1 + nodes.length);
  if (nodes.some((each) => each?.type === 'SpreadElement')) return spreadItems(nodes, context);
  const codes = nodes.map((each) =>
    each === null ? context.constant(undefined) : context.expression(each),
  );
  const [first, second, third] = codes;
  if (first === undefined) return () => [];
  if (second === undefined) return (frame, budget) => [first(frame, budget)];
  if (third === undefined) return (frame, budget) => [first(frame, budget), second(frame, budget)];
  return (frame, budget) => {
    const items: Value[] = [];
    for (const code of codes) items.push(code(frame, budget));
    return items;
  };
}

function spreadItems(
  nodes: readonly (acorn.Expression | acorn.SpreadElement | null)[],
  context: Context,
): (frame: Frame, budget: Budget) => Value[] {
  const parts = nodes.map((each) => {
    if (each === null) return { code: context.constant(undefined) };
    if (each.type !== 'SpreadElement') return { code: context.expression(each) };
    return { code: context.expression(each.argument), place: context.place(each) };
  });
  return (frame, budget) => {
    const items: Value[] = [];
    for (const { code, place } of parts) {
      const value = code(frame, budget);
      if (place === undefined) {
        items.push(value);
        continue;
      }
      budget.place = place;
      const elements = elementsOf(value, budget);
      budget.elements(elements.length);
      for (const each of elements) items.push(each);
    }
    return items;
  };
}

type Member = (object: ObjectValue, frame: Frame, budget: Budget) => void;

/** `{a, [b]: c, ...d, e() {…}}` */
export function objectLiteral(node: acorn.ObjectExpression, context: Context): Code {
  context.toll.bytes += MEMBER_BYTES * (1 + node.properties.length);
  const plain = plainMembers(node, context);
  if (plain !== undefined) return plainObject(plain.names, plain.codes);
  const members = node.properties.map((each) =>
    each.type === 'SpreadElement' ? spreadMember(each, context) : oneMember(each, context),
  );
  return (frame, budget) => {
    const object: ObjectValue = {};
    for (const member of members) member(object, frame, budget);
    return budget.own(object);
  };
}

/** Names and values, when all names are plain to see and none is special. */
function plainMembers(node: acorn.ObjectExpression, context: Context) {
  const names: string[] = [];
  for (const each of node.properties) {
    if (each.type === 'SpreadElement' || each.kind !== 'init' || each.computed) return undefined;
    const name = keyName(each.key);
    if (name === undefined || name === '__proto__') return undefined;
    names.push(name);
  }
  const codes = node.properties.map((each) =>
    context.expression(each.type === 'Property' ? each.value : each),
  );
  return { names, codes };
}

function plainObject(names: readonly string[], codes: readonly Code[]): Code {
  const none: Code = () => undefined;
  const [first = '', second = '', third = ''] = names;
  const [one = none, two = none, three = none] = codes;
  const rest = names.slice(3).map((name, at) => ({ name, code: codes[at + 3] ?? none }));
  const { length } = names;
  // Written out for the first few: this is what mappings make most of.
  return (frame, budget) => {
    const object: ObjectValue = {};
    if (length > 0) object[first] = one(frame, budget);
    if (length > 1) object[second] = two(frame, budget);
    if (length > 2) object[third] = three(frame, budget);
    for (let at = 0; at < rest.length; at += 1) {
      const member = rest[at];
      if (member !== undefined) object[member.name] = member.code(frame, budget);
    }
    return budget.own(object);
  };
}

/** The name that a key is when it is not worked out. */
export function keyName(key: acorn.Node): string | undefined {
  const node = key as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' && typeof node.value !== 'bigint' ? String(node.value) : undefined;
}

function oneMember(node: acorn.Property, context: Context): Member {
  if (node.kind !== 'init') {
    throw context.fault(node, 'a getter or setter is not part of the language');
  }
  const place = context.place(node);
  const known = node.computed ? undefined : keyName(node.key);
  if (known === undefined && !node.computed) throw context.fault(node, 'is no name of a member');
  const key = known === undefined ? context.expression(node.key) : context.constant(known);
  const value = context.expression(node.value);
  return (object, frame, budget) => {
    const name = toName(key(frame, budget), budget);
    const result = value(frame, budget);
    budget.place = place;
    define(object, name, result);
  };
}

function spreadMember(node: acorn.SpreadElement, context: Context): Member {
  const place = context.place(node);
  const source = context.expression(node.argument);
  return (object, frame, budget) => {
    const value = source(frame, budget);
    budget.place = place;
    copyMembers(object, value, budget);
  };
}

/** `${a} and ${b}` */
export function template(node: acorn.TemplateLiteral, context: Context): Code {
  const place = context.place(node);
  const [head = '', ...tails] = node.quasis.map((each) => each.value.cooked ?? '');
  const parts = node.expressions.map((each, at) => ({
    code: context.expression(each),
    tail: tails[at] ?? '',
  }));
  if (parts.length === 0) return context.constant(head);
  return (frame, budget) => {
    let text = head;
    for (const { code, tail } of parts) {
      const value = code(frame, budget);
      budget.place = place;
      text = budget.concat(text, toText(value, budget));
      if (tail !== '') text = budget.concat(text, tail);
    }
    return text;
  };
}
