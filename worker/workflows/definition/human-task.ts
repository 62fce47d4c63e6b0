/** Actions that people complete. Spec: workflows.md §3, `humanTask`. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { LEVELS } from '../../levels.ts';
import { beforeOf, type DraftContext, type TypeReader } from './draft.ts';
import { ACTION_ID, ACTION_ID_FORM } from './ids.ts';
import { Members } from './members.ts';
import type { FormField, Value } from './tree.ts';
import { readValue } from './value.ts';
import { neededValue, readTimeout } from './wait.ts';

const FIELD_TYPES = [
  'string',
  'text',
  'number',
  'integer',
  'boolean',
  'date',
  'select',
  'multiselect',
] as const;
/** Most fields of a form, and options of a field. Spec silent. */
const FIELDS_MAX = 200;
const OPTIONS_MAX = 1_000;
const ROLE = `must be one of ${LEVELS.slice(1).join(', ')}, or group:<name>`;

/** An action that people complete. */
export const humanTask: TypeReader<'humanTask'> = {
  members: ['title', 'description', 'assignees', 'form', 'timeout'],
  *read(around) {
    const { drafts, members } = around;
    const title = yield* neededValue(around, members, 'title');
    if (
      title?.constant !== undefined &&
      (typeof title.constant !== 'string' || title.constant === '')
    ) {
      members.fault('title', 'must be a text of at least one character, or an expression');
    }
    const json = members.get('description');
    const description =
      json === undefined
        ? undefined
        : yield* readValue(drafts, json, members.at('description'), beforeOf(around));
    if (description?.constant !== undefined && typeof description.constant !== 'string') {
      members.fault('description', 'must be a text, or an expression');
    }
    const assignees = yield* readAssignees(around);
    const fields = yield* readForm(around);
    const read = yield* readTimeout(around, ['duration', 'action', 'escalation']);
    const escalation = read && readEscalation(read.members);
    if (title === undefined || assignees === undefined) return undefined;
    return {
      title,
      description,
      assignees,
      fields,
      timeout: read && { ...read.timeout, escalation },
    };
  },
};

function* readAssignees(around: DraftContext): Pieces<Value | undefined> {
  const { members } = around;
  const value = yield* neededValue(around, members, 'assignees');
  const json = members.get('assignees');
  if (json === undefined || typeof json === 'string') {
    const { constant } = value ?? {};
    if (constant !== undefined) members.fault('assignees', 'must be an object of roles and users');
    return value;
  }
  const read = objectOf(members, 'assignees', '{"roles": […], "users": […]}');
  if (read === undefined) return undefined;
  read.refuseOthers(['roles', 'users'], 'assignees');
  const lists = [read.get('roles'), read.get('users')];
  if (lists.every((list) => list === undefined || (Array.isArray(list) && list.length === 0))) {
    members.fault('assignees', 'must name at least one role or user');
  }
  checkNames(read, 'roles', (text) => (isRole(text) ? undefined : ROLE));
  checkNames(read, 'users', (text) => (text === '' ? 'must be a username or a UUID' : undefined));
  return value;
}

/** Names as far as they are written down; an expression makes any of them, or all. */
function checkNames(
  members: Members,
  name: string,
  faultOf: (text: string) => string | undefined,
): void {
  const json = members.get(name);
  if (json === undefined || (typeof json === 'string' && json.startsWith('$'))) return;
  if (!Array.isArray(json)) {
    members.fault(name, 'must be an array, or an expression');
    return;
  }
  for (const [index, each] of json.entries()) {
    if (typeof each === 'string' && each.startsWith('$')) continue;
    const message = typeof each === 'string' ? faultOf(each) : 'must be a text, or an expression';
    if (message !== undefined) members.report.add(`${members.at(name)}.${index}`, message);
  }
}

function isRole(text: string): boolean {
  const isLevel = LEVELS.slice(1).some((level) => level === text);
  return isLevel || /^group:./.test(text);
}

function readEscalation(timeout: Members): readonly string[] | undefined {
  const members = timeout.members('escalation');
  if (members === undefined) return undefined;
  members.refuseOthers(['roles'], 'escalation');
  const roles = members.has('roles')
    ? members.texts('roles')
    : members.fault('roles', 'is required');
  for (const [index, role] of (roles ?? []).entries()) {
    if (!isRole(role)) members.report.add(`${members.at('roles')}.${index}`, ROLE);
  }
  return roles;
}

/** An object within; a fault that shows how it looks where it is something else. */
function objectOf(members: Members, name: string, form: string): Members | undefined {
  const value = members.get(name);
  if (value === undefined || isJsonObject(value)) return members.members(name);
  return members.fault(name, `must be an object: ${form}`);
}

function* readForm(around: DraftContext): Pieces<readonly FormField[]> {
  const form = objectOf(around.members, 'form', '{"fields": […]}');
  if (form === undefined) return [];
  form.refuseOthers(['fields'], 'form');
  const list = form.has('fields') ? form.list('fields') : form.fault('fields', 'is required');
  if (list === undefined) return [];
  if (list.length > FIELDS_MAX) form.fault('fields', `must have at most ${FIELDS_MAX} fields`);
  const known = new Set<string>();
  const fields: FormField[] = [];
  for (const [index, json] of list.entries()) {
    const where = `${form.at('fields')}.${index}`;
    if (isJsonObject(json)) {
      const field = yield* readField(around, new Members(json, where, form.report), known);
      if (field !== undefined) fields.push(field);
    } else form.report.add(where, 'must be an object');
  }
  return fields;
}

function* readField(
  around: DraftContext,
  members: Members,
  known: Set<string>,
): Pieces<FormField | undefined> {
  members.refuseOthers(['id', 'type', 'label', 'options', 'required'], 'a field');
  const id = members.needText('id');
  if (id !== undefined && !ACTION_ID.test(id)) {
    members.fault('id', ACTION_ID_FORM);
  } else if (id !== undefined && known.has(id)) members.fault('id', 'is the id of another field');
  if (id !== undefined) known.add(id);
  const type = members.oneOf('type', FIELD_TYPES, 'string');
  const label = members.text('label');
  const required = members.flag('required', false);
  const options = yield* readOptions(around, members, type);
  return id === undefined ? undefined : { id, type, label, required, options };
}

function* readOptions(
  around: DraftContext,
  members: Members,
  type: FormField['type'],
): Pieces<Value | undefined> {
  const isChoice = type === 'select' || type === 'multiselect';
  if (!isChoice) {
    if (members.has('options'))
      members.fault('options', `is of select and multiselect, and this is ${type}`);
    return undefined;
  }
  const value = yield* neededValue(around, members, 'options');
  const json = members.get('options');
  if (Array.isArray(json)) {
    if (json.length === 0 || json.length > OPTIONS_MAX) {
      members.fault('options', `must have 1 to ${OPTIONS_MAX} options`);
    }
    for (const [index, each] of json.entries()) checkOption(members, each, index);
  } else if (value?.constant !== undefined) {
    members.fault('options', 'must be an array, or an expression');
  }
  return value;
}

function checkOption(members: Members, json: Json, index: number): void {
  const { report } = members;
  const where = `${members.at('options')}.${index}`;
  if (typeof json === 'string') return;
  if (!isJsonObject(json)) {
    report.add(where, 'must be a text, or an object of value and label');
    return;
  }
  const option = new Members(json, where, report);
  option.refuseOthers(['value', 'label'], 'an option');
  option.needText('value');
  option.text('label');
}
