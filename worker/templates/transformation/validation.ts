/** Reads `validation` in all its spellings. Contract §8. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { CHECKS, type Check, customCheck, isOfType, TYPE_NAMES } from './checks.ts';
import type { Execution } from './execution.ts';
import type { Reason } from './failure.ts';
import { Members } from './report.ts';
import type { Scope } from './scope.ts';

/** What is wrong with a value; none when it fits. An absent value fits all but `required`. */
export type Validate = (value: Json | undefined, x: Execution) => readonly Reason[];

interface ReadCheck {
  readonly check: Check;
  readonly isRequired: boolean;
  readonly reason: Reason;
  /** What is told instead of a value of another type than the check is about. */
  readonly of?: { readonly type: string; readonly reason: Reason } | undefined;
}

const NAMES = Object.keys(CHECKS);
const NONE: readonly Reason[] = [];

/** Reads the member of that name, an object of bounds or a list of checks; undefined without one. */
export function validationOf(
  rule: Members,
  scope: Scope,
  name = 'validation',
): Validate | undefined {
  const value = rule.get(name);
  if (value === undefined) return undefined;
  const read: ReadCheck[] = [];
  if (Array.isArray(value)) readList(value, rule.at(name), rule, scope, read);
  else if (isJsonObject(value))
    readOne(new Members(value, rule.at(name), rule.report), scope, read);
  else return rule.fault(name, 'must be an object of bounds, or a list of checks');
  return (given, x) => {
    let reasons: Reason[] | undefined;
    for (const { check, isRequired, reason, of } of read) {
      if ((given === undefined && !isRequired) || check(given, x)) continue;
      reasons ??= [];
      const isOther = of !== undefined && given !== undefined && !isOfType(given, of.type);
      reasons.push(isOther ? of.reason : reason);
    }
    return reasons ?? NONE;
  };
}

/** Bounds, or a single check such as a list has. */
function readOne(members: Members, scope: Scope, into: ReadCheck[]): void {
  const type = members.get('type');
  const isCheck = type === 'custom' || (typeof type === 'string' && NAMES.includes(type));
  if (isCheck && type !== 'type') readEntry(members, scope, into);
  else readBounds(members, scope, into);
}

function readList(
  list: readonly Json[],
  path: string,
  rule: Members,
  scope: Scope,
  into: ReadCheck[],
): void {
  for (const [index, each] of list.entries()) {
    const at = `${path}.${index}`;
    if (isJsonObject(each)) readEntry(new Members(each, at, rule.report), scope, into);
    else rule.report.add(at, 'must be an object with the member type');
  }
}

/** `{type, <type>: bound, message?, code?}`; with a type of JSON, bounds of a value of that type. */
function readEntry(members: Members, scope: Scope, into: ReadCheck[]): void {
  const type = members.needText('type');
  if (type === undefined) return;
  if (TYPE_NAMES.includes(type)) {
    readBounds(members, scope, into);
  } else if (type === 'custom') {
    members.refuseOthers(
      ['type', 'expression', 'function', 'message', 'code'],
      'a check of type custom',
    );
    const check = customCheck(members, scope);
    if (check) into.push({ check, isRequired: false, reason: reasonOf(members, 'is not valid') });
  } else if (NAMES.includes(type) && type !== 'type') {
    members.refuseOthers(['type', type, 'message', 'code'], `a check of type ${type}`);
    readCheck(members, type, scope, into);
  } else {
    const known = [...NAMES.filter((each) => each !== 'type'), 'custom', ...TYPE_NAMES];
    members.fault('type', `is no check: there are ${known.join(', ')}`);
  }
}

/** `{type, minimum, maximum, …}`, and `rules`: a list of further checks. */
function readBounds(members: Members, scope: Scope, into: ReadCheck[]): void {
  members.refuseOthers([...NAMES, 'rules', 'message', 'code'], 'a validation');
  for (const name of NAMES) if (members.has(name)) readCheck(members, name, scope, into);
  const rules = members.list('rules');
  if (rules) readList(rules, members.at('rules'), members, scope, into);
}

function readCheck(members: Members, type: string, scope: Scope, into: ReadCheck[]): void {
  const named = CHECKS[type]?.(members, type, scope);
  if (named === undefined || named.message === '') return;
  const { check, message, of } = named;
  into.push({
    check,
    isRequired: type === 'required',
    reason: reasonOf(members, message),
    of: of && { type: of.type, reason: reasonOf(members, of.message) },
  });
}

function reasonOf(members: Members, otherwise: string): Reason {
  const [message, code] = [members.text('message'), members.text('code')];
  return {
    message: message ?? otherwise,
    ...(message === undefined ? {} : { isAuthored: true }),
    ...(code === undefined ? {} : { code }),
  };
}
