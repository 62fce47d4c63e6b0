/** A command's members as its words, by its grammar. */
import type { Json, JsonObject } from '../../proto/json.ts';
import { hintFor } from '../../proto/near-name.ts';
import { alternativeOf, type Chosen, firstNames, isMember, isRequired } from './alternative.ts';
import type { Word } from './command.ts';
import {
  type Block,
  type Choice,
  type Count,
  type Enumeration,
  type Flag,
  type Member,
  plainName,
  type Scope,
  type Value,
} from './grammar.ts';
import { type Fault, isMembers, WordFault, wordOf } from './words.ts';

/** Collects words and faults. */
interface Sheet {
  readonly words: Word[];
  readonly faults: Fault[];
}

/** What was given for a node: its own value, and members of its own that were next to it. */
interface GivenMember {
  /** As the client wrote it. */
  name: string;
  value: Json | undefined;
  within: JsonObject | undefined;
}

/** What was written for a node: how many elements, from which word on. */
interface WordRange {
  readonly elements: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The words after a command's name.
 * @param members without those of every request
 * @param faults gets what is wrong; the words then mean nothing
 */
export function wordsOf(scope: Scope, members: JsonObject, faults: Fault[]): Word[] {
  const sheet = { words: [], faults };
  writeScope(scope, members, '', sheet);
  return sheet.words;
}

function writeScope(scope: Scope, members: JsonObject, prefix: string, sheet: Sheet): void {
  const given = assign(scope, members, prefix, sheet);
  const counts: { count: Count; at: number }[] = [];
  const written: WordRange[] = [];
  for (const [at, node] of scope.nodes.entries()) {
    const from = sheet.words.length;
    let elements = 1;
    if (node.is === 'literal') sheet.words.push(node.word);
    else if (node.is === 'count') {
      counts.push({ count: node, at: from });
      sheet.words.push('0');
    } else if (node.is !== 'ignored') elements = write(node, given[at], prefix, sheet);
    written.push({ elements, from, to: sheet.words.length });
  }
  for (const { count, at } of counts) {
    const { elements, from, to } =
      written[scope.slots.get(plainName(count.of))?.at ?? -1] ?? NOTHING;
    sheet.words[at] = String(count.ofWords ? to - from : elements);
  }
}
const NOTHING: WordRange = { elements: 0, from: 0, to: 0 };

/** Finds each member's node. */
function assign(scope: Scope, members: JsonObject, prefix: string, sheet: Sheet) {
  const given: (GivenMember | undefined)[] = [];
  for (const name of Object.keys(members)) {
    const slot = scope.slots.get(name) ?? scope.slots.get(plainName(name));
    const value = members[name];
    if (slot === undefined) fault(sheet, `${prefix}${name}`, unknownMember(name, members, scope));
    else if (value !== undefined) {
      given[slot.at] ??= { name, value: undefined, within: undefined };
      const place = given[slot.at] as GivenMember; // Just made.
      if (slot.within !== undefined) place.within = { ...place.within, [slot.within]: value };
      else if (place.value === undefined) {
        place.name = name;
        place.value = value;
      } else fault(sheet, `${prefix}${name}`, 'is given twice, under two names');
    }
  }
  return given;
}

function unknownMember(name: string, members: JsonObject, scope: Scope): string {
  const names = scope.nodes.flatMap((node) => (isMember(node) ? node.names.slice(0, 1) : []));
  return names.length === 0
    ? 'is not a member of this command, which has none'
    : `is not a member of this command; ${hintFor(name, names, { isTaken: (each) => Object.hasOwn(members, each), before: 'it has' })}`;
}

/** Answers how many elements were written. */
function write(node: Member, given: GivenMember | undefined, prefix: string, sheet: Sheet): number {
  const name = given?.name ?? node.names[0] ?? '';
  if (node.is === 'flag') return writeFlag(node, given?.value, `${prefix}${name}`, sheet);
  const value = whole(node, given);
  if (value === undefined || (node.optional && (value === null || isSwitchedOff(node, value)))) {
    if (!node.optional) fault(sheet, `${prefix}${name}`, 'is required');
    else if (node.is === 'value' && node.otherwise !== undefined) sheet.words.push(node.otherwise);
    return 0;
  }
  if (node.many) return writeMany(node, value, `${prefix}${name}`, sheet);
  if (node.token !== undefined) sheet.words.push(node.token);
  writeOne(node, value, `${prefix}${name}`, sheet);
  return 1;
}

/** Whether a block or a choice is left out by `false`. */
function isSwitchedOff(node: Member, value: Json): boolean {
  return value === false && (node.is === 'block' || node.is === 'choice');
}

/** A node's value with those of its members that were next to it. */
function whole(node: Exclude<Member, Flag>, given: GivenMember | undefined): Json | undefined {
  if (given?.within === undefined) return given?.value;
  const { value, within } = given;
  const set = Object.entries(within).filter(([, each]) => each !== false && each !== null);
  if (set.length === 0) return value;
  if (node.is === 'enumeration') {
    return value === undefined && set.length === 1 ? set[0]?.[0] : [];
  }
  const beside = Object.fromEntries(set);
  if (value === undefined) return beside;
  if (node.is === 'block' && !isMembers(value)) {
    return { [firstNames(node.scope)[0] ?? '']: value, ...beside };
  }
  if (node.is === 'choice' && typeof value === 'string') return { [value]: beside };
  return isMembers(value) ? { ...value, ...beside } : value;
}

function writeMany(node: Exclude<Member, Flag>, value: Json, path: string, sheet: Sheet): number {
  const elements = Array.isArray(value) ? value : [value];
  if (elements.length === 0) {
    if (!node.optional) fault(sheet, path, 'must have at least one element');
    return 0;
  }
  if (node.token !== undefined && !node.repeats) sheet.words.push(node.token);
  for (const [at, element] of elements.entries()) {
    if (node.token !== undefined && node.repeats) sheet.words.push(node.token);
    writeOne(node, element, Array.isArray(value) ? `${path}.${at}` : path, sheet);
  }
  return elements.length;
}

function writeOne(node: Exclude<Member, Flag>, value: Json, path: string, sheet: Sheet): void {
  if (node.is === 'value') writeValue(node, value, path, sheet);
  else if (node.is === 'enumeration') writeEnumeration(node, value, path, sheet);
  else if (node.is === 'block') writeBlock(node, value, path, sheet);
  else writeChoice(node, value, path, sheet);
}

function writeValue({ sort }: Value, value: Json, path: string, sheet: Sheet): void {
  try {
    sheet.words.push(wordOf(value, sort));
  } catch (thrown) {
    if (!(thrown instanceof WordFault)) throw thrown;
    fault(sheet, path, thrown.message);
  }
}

/** True, false, null, or the word itself. */
function writeFlag({ word }: Flag, value: Json | undefined, path: string, sheet: Sheet): number {
  const isSet =
    value === true || (typeof value === 'string' && plainName(value) === plainName(word));
  if (isSet) sheet.words.push(word);
  else if (value !== undefined && value !== false && value !== null) {
    fault(sheet, path, 'must be true or false');
  }
  return isSet ? 1 : 0;
}

function writeEnumeration(node: Enumeration, value: Json, path: string, sheet: Sheet): void {
  const text = typeof value === 'boolean' ? switchOf(node, value) : value;
  const word = typeof text === 'string' ? node.words.get(plainName(text)) : undefined;
  if (word === undefined) fault(sheet, path, `must be one of ${node.written.join(', ')}`);
  else sheet.words.push(word);
}

/** Two words that mean true and false. */
function switchOf({ words }: Enumeration, value: boolean): string {
  if (words.has('on')) return value ? 'on' : 'off';
  return value ? 'yes' : 'no';
}

function writeBlock(node: Block, value: Json, path: string, sheet: Sheet): void {
  const members = membersOf(node, value);
  if (members !== undefined) writeScope(node.scope, members, `${path}.`, sheet);
  else fault(sheet, path, `must be an object of ${firstNames(node.scope).join(', ')}`);
}

/** The members of a block that was written as such, as a list of their values, or as the first alone. */
function membersOf({ scope, many }: Block, value: Json): JsonObject | undefined {
  if (isMembers(value)) return value;
  if (value === true) return {};
  const names = firstNames(scope);
  if (Array.isArray(value) && many) {
    const isWhole = value.length === names.length;
    const entries = names.map((name, at) => [name, value[at] ?? null] as const);
    return isWhole ? Object.fromEntries(entries) : undefined;
  }
  const [first = ''] = names;
  const isRest = scope.nodes.some(
    (each) => isRequired(each) && isMember(each) && each.names[0] !== first,
  );
  return isRest ? undefined : { [first]: value };
}

function writeChoice(node: Choice, value: Json, path: string, sheet: Sheet): void {
  const chosen = alternativeOf(node, value);
  if (chosen === undefined) fault(sheet, path, `must be one of ${node.written.join(', ')}`);
  else writeAlternative(chosen, path, sheet);
}

function writeAlternative({ scope, inner, name }: Chosen, path: string, sheet: Sheet): void {
  const at = name === undefined ? path : `${path}.${name}`;
  const names = firstNames(scope);
  const [only = ''] = names;
  if (isMembers(inner) && Object.keys(inner).every((each) => scope.slots.has(plainName(each)))) {
    writeScope(scope, inner, `${at}.`, sheet);
  } else if (scope.nodes.filter(isRequired).length > 1) {
    fault(sheet, at, `must be an object of ${names.join(', ')}`);
  } else {
    const faults: Fault[] = [];
    const members: JsonObject = names.length === 0 ? {} : { [only]: inner };
    writeScope(scope, members, `${at}.`, { words: sheet.words, faults });
    // There is one member, and its value was given without its name.
    for (const each of faults) fault(sheet, each.path.replace(`${at}.${only}`, at), each.message);
  }
}

function fault(sheet: Sheet, path: string, message: string): void {
  sheet.faults.push({ path, message });
}
