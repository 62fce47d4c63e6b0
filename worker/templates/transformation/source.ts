/** Where rules read: paths in every notation, and values that replace them. Contract §7, §8. */
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  setMember,
} from '../../../proto/json.ts';
import { asMoved, isMovedWithin } from '../../../proto/ordered-json.ts';
import { faultOf, PathFault } from '../../language/paths/fault.ts';
import { Path } from '../../language/paths/path.ts';
import { indexOf, type Step } from '../../language/paths/step.ts';
import type { Execution } from './execution.ts';
import type { Members } from './report.ts';
import { adviceFor, inputsResultsFault, isInputsResults } from './result-paths.ts';
import { INPUT, RESULTS_NAME, type Scope } from './scope.ts';
import { findIn } from './searches.ts';

/** Reads a value; undefined when it is not there. */
export type Get = (x: Execution) => Json | undefined;

/** A path that parses; undefined, with a fault, when it does not. */
export function pathOf(text: string, at: string, scope: Scope): Path | undefined {
  try {
    const path = new Path(text);
    if (scope.naming === undefined) return path;
    const { report } = scope.sources;
    if (firstName(path) === RESULTS_NAME) scope.naming.notePath(path, at, report);
    else if (isInputsResults(text)) report.add(at, inputsResultsFault(text));
    return path;
  } catch (fault) {
    if (!(fault instanceof PathFault)) throw fault;
    scope.sources.report.add(at, `${faultOf(text, fault)}${hintFor(text, scope)}`);
    return undefined;
  }
}

/** What people write of several places, or of the last one, where only JSONPath names these. */
const SEVERAL = /\[(?:\*|-\d+)\]/;
/** A dotted path that begins at results of rules. */
const RESULT = /^results[.[]/;

function hintFor(text: string, { naming }: Scope): string {
  if (text.startsWith('$') || !SEVERAL.test(text)) return '';
  if (naming && RESULT.test(text)) return `; ${adviceFor(text)}`;
  return text.length > 64 ? '; begin it with $. for JSONPath' : `; write $.${text}`;
}

/** What a path reads. Several matches give an array; none of a path that names one place gives undefined. */
export function getterOf(path: Path, scope: Scope): Get {
  const { slot, steps } = startOf(path, scope);
  if (steps === undefined) return searchOf(path, slot, scope);
  const keys = steps.map((step) => keyOf(step, path.notation === 'jsonpath'));
  const names = keys.map((key) => key.plain);
  const [first, second] = names;
  if (names.length === 0) return ({ slots }) => slots[slot] as Json | undefined; // Slots hold JSON.
  if (first === undefined || names.includes(undefined)) return walkOf(slot, keys);
  if (names.length === 1) return ({ slots }) => memberOf(slots[slot] as Json, first);
  if (second !== undefined && names.length === 2) {
    return ({ slots }) => memberOf(memberOf(slots[slot] as Json, first), second);
  }
  return walkOf(slot, keys);
}

/** A member, by a plain name, of the value in a slot. */
export interface Member {
  readonly slot: number;
  readonly name: string;
}

/** What a path names where that is such a member. */
export function memberOfSlot(path: Path, scope: Scope): Member | undefined {
  const { slot, steps } = startOf(path, scope);
  const [step, ...others] = steps ?? [];
  if (step === undefined || others.length > 0) return undefined;
  const { plain } = keyOf(step, path.notation === 'jsonpath');
  return plain === undefined ? undefined : { slot, name: plain };
}

/** A step: `plain` where it is a name that no value has by its nature. */
interface SourceStep {
  readonly plain: string | undefined;
  readonly name: string | undefined;
  readonly index: number;
}

/** Names that values have without being members of their JSON. */
const RISKY: ReadonlySet<string> = new Set(
  [Object.prototype, Array.prototype, JSON.rawJSON('1')].flatMap((each) =>
    Object.getOwnPropertyNames(each),
  ),
);

function keyOf(step: Step, isMember: boolean): SourceStep {
  if (typeof step === 'number') return { plain: undefined, name: undefined, index: step };
  const name = typeof step === 'string' ? step : step.token;
  const index = indexOf(name);
  const isPlain = index < 0 && !RISKY.has(name);
  return { plain: isPlain ? name : undefined, name, index: isMember ? -1 : index };
}

/** The first step of a path may be a name of the scope. */
function startOf(path: Path, scope: Scope): { slot: number; steps: readonly Step[] | undefined } {
  const { notation, steps } = path;
  const first = firstName(path);
  const slot = first === undefined ? undefined : scope.slotOf(first);
  if (notation === 'jsonpath' || slot === undefined) return { slot: INPUT, steps };
  return { slot, steps: steps?.slice(1) };
}

function firstName({ notation, steps, text }: Path): string | undefined {
  if (notation === 'jsonpath') return undefined;
  const [first] = steps ?? [];
  if (first !== undefined) return typeof first === 'object' ? first.token : String(first);
  // Of one that may find several places: only the slash form has such.
  return text.split('/', 1)[0];
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Of arrays and of numbers kept as text a plain name finds nothing.
  return (value as JsonObject)[name];
}

function walkOf(slot: number, keys: readonly SourceStep[]): Get {
  return ({ slots }) => {
    let value = slots[slot] as Json | undefined; // Slots hold JSON.
    for (const key of keys) value = childOf(value, key);
    return value;
  };
}

function childOf(value: Json | undefined, { plain, name, index }: SourceStep): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (plain !== undefined) return (value as JsonObject)[plain];
  if (Array.isArray(value)) return index < 0 ? undefined : value[index];
  const isThere = name !== undefined && !isRawJson(value) && Object.hasOwn(value, name);
  return isThere ? (value as JsonObject)[name] : undefined;
}

function searchOf(path: Path, slot: number, scope: Scope): Get {
  const name = slot === INPUT ? undefined : scope.names[slot];
  return (x) => {
    const value = x.slots[slot] as Json; // Slots hold JSON.
    const document = name === undefined ? value : { [name]: value };
    return findIn(path, document, x);
  };
}

/** What a path member reads; undefined, with a fault, when it is none. */
export function sourceOf(members: Members, name: string, scope: Scope): Get | undefined {
  const text = members.needText(name);
  const path = text === undefined ? undefined : pathOf(text, members.at(name), scope);
  return path && getterOf(path, scope);
}

/**
 * What an argument reads: a text is a path, `{value}` a constant, all else itself.
 * Contract §8.
 */
export function argumentOf(value: Json, at: string, scope: Scope): Get | undefined {
  if (typeof value === 'string') {
    const path = pathOf(value, at, scope);
    return path && getterOf(path, scope);
  }
  const constant = isConstant(value) ? (value.value ?? null) : value;
  return () => constant;
}

/** Whether a value is `{value: …}`. */
export function isConstant(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, 'value') && Object.keys(value).length === 1;
}

/** An object whose members are read one by one; what is not there is left out. */
export function objectOf(members: Members, scope: Scope): Get | undefined {
  const getters: (readonly [string, Get])[] = [];
  for (const [name, value] of Object.entries(members.object)) {
    const get = argumentOf(value, members.at(name), scope);
    if (get) getters.push([name, get]);
  }
  return (x) => {
    const object: JsonObject = {};
    x.spend(1 + getters.length);
    for (const [name, get] of getters) {
      const value = get(x);
      if (value === undefined) continue;
      setMember(object, name, value);
      if (isMovedWithin(value)) asMoved(object);
    }
    return object;
  };
}
