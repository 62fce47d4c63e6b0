/** Which databases a request writes to, by every member that names one. Contract §6, "Admin". */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { namesOf } from '../../proto/ordered-json.ts';
import { commandName, commandOf, isToldFirst } from './admin.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { READING } from './reads.ts';

/** Databases that hold users, the configuration of a cluster, and the log of all changes. */
const SYSTEM = new Set(['admin', 'config', 'local']);

/** Commands that end or go on with what others began, and touch no database. */
const NEUTRAL = new Set(
  [
    'getmore killcursors startsession refreshsessions endsessions committransaction',
    'aborttransaction',
  ]
    .join(' ')
    .split(' '),
);
/** Commands that write to the database that they run in, and to no other. */
const OF_OWN = new Set(
  [
    'insert update delete findandmodify drop dropdatabase create createindexes dropindexes collmod',
    'createsearchindexes updatesearchindex dropsearchindex',
  ]
    .join(' ')
    .split(' '),
);
/** Members by which others name databases; of all other commands every text may be such a name. */
const NAMED_IN: Readonly<Record<string, readonly string[]>> = {
  bulkwrite: ['nsInfo'],
  renamecollection: ['renameCollection', 'to'],
  mapreduce: ['out'],
};

/** What decides where a request writes. */
interface Writing {
  readonly type: OperationName;
  readonly database?: string | undefined;
  readonly pipeline?: readonly JsonObject[] | undefined;
  readonly operations?: readonly JsonObject[] | undefined;
  readonly command?: Json | undefined;
  readonly options?: JsonObject | undefined;
}

/** Where a request writes. */
interface Targets {
  /** To the database that it runs in. */
  own: boolean;
  /** To others, by their names. */
  readonly others: Set<string>;
  /** To one that cannot be told before it runs. */
  untold: boolean;
}

/** Whether a database is one of the server's own. */
export function isSystem(database: string): boolean {
  return SYSTEM.has(database.toLowerCase());
}

/** Whether a request writes to one of the server's own databases, or may. Spec silent. */
export function writesToSystem(request: Writing): boolean {
  const { own, others, untold } = targetsOf(request);
  const { database } = request;
  return untold || [...others].some(isSystem) || (own && isSystem(database ?? ''));
}

/** Where a request writes, by its type and its members. */
export function targetsOf(request: Writing): Targets {
  const { type, pipeline, operations, command, options } = request;
  const targets: Targets = { own: false, others: new Set(), untold: false };
  const known = commandOf(command);
  if (known !== undefined) addCommand(targets, known);
  else targets.own = writesToOwn(type);
  addPipeline(targets, pipeline as Json | undefined);
  addPipeline(targets, options?.pipeline);
  for (const operation of operations ?? []) {
    for (const name of namesOf(operation)) {
      const write = operation[name];
      const { namespace } = isJsonObject(write) ? write : {};
      if (namespace !== undefined) addNamespace(targets, namespace);
    }
  }
  return targets;
}

function writesToOwn(type: OperationName): boolean {
  const isElsewhere = type.endsWith('_transaction') || type === 'client.bulk_write';
  return OPERATIONS[type].mode === 'write' && !isElsewhere;
}

function addCommand(targets: Targets, command: JsonObject): void {
  const name = commandName(command);
  const content = command[namesOf(command)[0] ?? ''];
  if (!isToldFirst(command)) targets.untold = true;
  addPipeline(targets, command.pipeline);
  if (name === 'explain' && isJsonObject(content)) addCommand(targets, content);
  if (READING.has(name) || NEUTRAL.has(name)) return;
  targets.own = true;
  if (OF_OWN.has(name)) return;
  const named = NAMED_IN[name]?.map((each) => each.toLowerCase());
  for (const member of namesOf(command)) {
    if (named?.includes(member.toLowerCase()) ?? true) addNames(targets, command[member]);
  }
}

/** Every text that is the name of a database, or begins with it. */
function addNames(targets: Targets, value: Json | undefined): void {
  if (typeof value === 'string') addNamespace(targets, value);
  else if (Array.isArray(value)) for (const each of value) addNames(targets, each);
  else if (isJsonObject(value)) {
    if (isValue(value)) targets.untold = true;
    for (const name of namesOf(value)) addNames(targets, value[name]);
  }
}

function addPipeline(targets: Targets, pipeline: Json | undefined): void {
  const stages = Array.isArray(pipeline) ? pipeline : [pipeline];
  if (stages.some(isValue)) targets.untold = true;
  addStages(targets, pipeline);
}

/** `$out` and `$merge` at any depth, whether or not the server takes them there. */
function addStages(targets: Targets, value: Json | undefined): void {
  if (Array.isArray(value)) for (const each of value) addStages(targets, each);
  if (!isJsonObject(value)) return;
  for (const name of namesOf(value)) {
    const content = value[name];
    if (name === '$out') addTarget(targets, content);
    if (name === '$merge') addTarget(targets, isJsonObject(content) ? intoOf(content) : content);
    addStages(targets, content);
  }
}

function intoOf(merge: JsonObject): Json | undefined {
  return isValue(merge) || merge.into === undefined ? merge : merge.into;
}

/** A collection of the own database by its name, or `{db, coll}`. */
function addTarget(targets: Targets, target: Json | undefined): void {
  if (!isJsonObject(target) || target.db === undefined) targets.own = true;
  if (!isJsonObject(target)) return;
  if (isValue(target)) targets.untold = true;
  if (target.db !== undefined) addNamespace(targets, target.db);
}

/** `database.collection`, or the name of a database alone. */
function addNamespace(targets: Targets, namespace: Json | undefined): void {
  if (typeof namespace === 'string') targets.others.add(namespace.split('.', 1)[0] ?? '');
  else targets.untold = true;
}

/**
 * Whether an object stands for something else: a value of Extended JSON (`{"$symbol": "admin"}`), or
 * in a transaction an earlier result, which may be anything.
 */
function isValue(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return false;
  return namesOf(value).some((name) => VALUES.has(name));
}

const VALUES = new Set(['$result', '$symbol', '$binary', '$uuid', '$code', '$regularExpression']);
