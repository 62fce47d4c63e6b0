/** Requests to MongoDB, by their types. */
import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject, setMember } from '../../proto/json.ts';
import { faultsOf, IN_OUR_WORDS } from '../../proto/schema-faults.ts';
import { JsonValue, kindMember, TimeoutMs } from '../members.ts';
import { GRIDFS_MEMBERS, type GridfsMembers } from './gridfs.ts';
import {
  type Level,
  MEMBER_ALIASES,
  namesOfOperation,
  OPERATIONS,
  OPTION_MEMBERS,
  type Operation,
  type OperationName,
  operationNamed,
} from './operations.ts';
import { carried } from './texts.ts';

/** Kept as it came: the order of its members is one that only its reader knows. */
const document = z
  .custom<JsonObject>((value) => isJsonObject(value as Json), 'must be an object')
  .meta({ description: 'A document, in Extended JSON', override: { type: 'object' } });
const documents = z
  .custom<JsonObject[]>(
    (value) => Array.isArray(value) && value.every((each) => isJsonObject(each as Json)),
    'must be an array of objects',
  )
  .meta({
    description: 'Documents, in Extended JSON',
    override: { type: 'array', items: { type: 'object' } },
  });
const name = carried(z.string().min(1).max(255));

const MEMBERS: Readonly<Record<string, z.ZodType>> = {
  filter: document.meta({
    description: 'What the documents are like, in Extended JSON',
    examples: [{ city: 'Lisbon' }],
  }),
  document: document.meta({
    description: 'In Extended JSON; without an `_id` it gets one',
    examples: [{ name: 'Hana Almeida', city: 'Lisbon' }],
  }),
  documents: documents.meta({
    description: 'In Extended JSON; those without an `_id` get one',
    examples: [[{ name: 'Hana Almeida' }, { name: 'Emeka Berg' }]],
  }),
  replacement: document.meta({
    description: 'What stands in place of the document, except for its `_id`',
    examples: [{ name: 'Hana Almeida', city: 'Porto' }],
  }),
  update: z.union([document, documents]).meta({
    description: 'A document of update operators, or a pipeline',
    examples: [{ $set: { city: 'Porto' } }],
  }),
  operations: documents.meta({
    description:
      'Objects of one member each: `insert_one`, `update_one`, `update_many`, `replace_one`, `delete_one` or `delete_many`, with what that takes',
    examples: [[{ insert_one: { document: { name: 'Emeka Berg' } } }]],
  }),
  field: carried(z.string().min(1)).meta({
    description: 'Name of the field, with dots for those within',
    examples: ['city'],
  }),
  pipeline: documents.meta({
    description: 'Stages; on `/read` none that writes or runs JavaScript',
    examples: [[{ $group: { _id: '$city', customers: { $sum: 1 } } }]],
  }),
  model: document.meta({
    description:
      'The index: `{key, …}` or `{keys, options}`; of a search index `{name, definition, type}`',
    examples: [{ key: { city: 1, name: 1 }, unique: false }],
  }),
  models: documents.meta({
    description: 'The indexes, each as `model`',
    examples: [[{ key: { city: 1 } }]],
  }),
  definition: document.meta({
    description: 'What the search index holds',
    examples: [{ mappings: { dynamic: true } }],
  }),
  name: name.meta({ description: 'The name of what is made or changed', examples: ['city_1'] }),
  command: document.meta({
    description: 'Its first member names the command',
    examples: [{ ping: 1 }],
  }),
  ...GRIDFS_MEMBERS,
};
/** Commands of these types are text. */
const commandText = z
  .union([z.string().min(2), document])
  .meta({ description: 'Extended JSON as text, or as it is', examples: ['{"ping": 1}'] });

const COMMON = {
  kind: kindMember('Mongo'),
  timeout_ms: TimeoutMs,
};
const databaseMember = name
  .regex(/^[^\s/\\.$"*<>:|?\0]+$/, 'is no name of a database')
  .optional()
  .meta({
    description: "Left out, `db_name` of the configuration or the connection's own",
    examples: ['shop'],
  });
const collectionMember = name
  .refine((each) => !each.includes('\0') && !each.includes('$'), 'is no name of a collection')
  .meta({ description: 'Name of the collection', examples: ['customers'] });
const WHERE: Readonly<Record<Level, z.ZodRawShape>> = {
  client: { database: databaseMember },
  database: { database: databaseMember },
  collection: { database: databaseMember, collection: collectionMember },
};

/** A request as the driver reads it: types and members by their first names, options in camel case. */
export interface MongoRequest extends GridfsMembers {
  readonly type: OperationName;
  readonly timeout_ms?: number | undefined;
  readonly database?: string;
  readonly collection?: string;
  readonly filter?: JsonObject;
  readonly document?: JsonObject;
  readonly documents?: JsonObject[];
  readonly replacement?: JsonObject;
  readonly update?: JsonObject | JsonObject[];
  readonly operations?: JsonObject[];
  readonly field?: string;
  readonly pipeline?: JsonObject[];
  readonly model?: JsonObject;
  readonly models?: JsonObject[];
  readonly definition?: JsonObject;
  readonly name?: string;
  readonly command?: JsonObject | string;
  readonly options?: JsonObject;
}

function optionsOf(own: readonly string[]) {
  const members = own.map((each) => [each, JsonValue.optional()] as const);
  return z
    .strictObject(Object.fromEntries(members))
    .optional()
    .meta({
      description:
        'As the driver has them, in camel case or snake case; documents in Extended JSON',
      examples: [
        own.includes('limit') && own.includes('sort') ? { sort: { name: 1 }, limit: 2 } : {},
      ],
    });
}

function idOf(of: OperationName): string {
  return `Mongo${of.replace(/(?:^|[._])(.)/g, (_, first: string) => first.toUpperCase())}`;
}

function schemaOf(of: OperationName) {
  const operation: Operation = OPERATIONS[of];
  const members = operation.members.map((each): [string, z.ZodType] => {
    const [named = '', optional] = each.split('?');
    const isText = named === 'command' && of.startsWith('raw');
    const member = isText ? commandText : (MEMBERS[named] ?? JsonValue);
    return [named, optional === undefined ? member : member.optional()];
  });
  const names = namesOfOperation(of) as [string, ...string[]]; // Its own name at least.
  return z
    .strictObject({
      type: z.enum(names).meta({ description: operation.says, examples: [of] }),
      ...WHERE[operation.level],
      ...Object.fromEntries(members),
      ...(operation.options.length > 0 ? { options: optionsOf(operation.options) } : {}),
      ...COMMON,
    })
    .meta({ id: idOf(of), description: operation.says });
}

/** Each operation with its members. */
export const SCHEMAS = Object.fromEntries(
  (Object.keys(OPERATIONS) as OperationName[]).map((of) => [of, schemaOf(of)]),
) as Record<OperationName, ReturnType<typeof schemaOf>>; // By the keys just gone through.

/** A list that is known not to be empty. */
function listOf(schemas: readonly Schema[]): [Schema, ...Schema[]] {
  return schemas as [Schema, ...Schema[]]; // There are many.
}
type Schema = ReturnType<typeof schemaOf>;

/** A request by its first names, of any type. */
export const NamedRequest = z
  .discriminatedUnion('type', listOf(Object.values(SCHEMAS)))
  .meta({ id: 'MongoRequest', description: 'A request to a MongoDB endpoint, told by its `type`' });

/** One operation of a transaction. */
export const NamedOperation = z
  .discriminatedUnion(
    'type',
    listOf(
      (Object.keys(OPERATIONS) as OperationName[])
        .filter((of) => !of.endsWith('_transaction'))
        .map((of) => SCHEMAS[of]),
    ),
  )
  .meta({ id: 'MongoOperation', description: 'One request of a transaction' });

/** A request of any type, with every name that it may be written with. */
export const MongoRequest: z.ZodType<MongoRequest> = z.unknown().transform((given, context) => {
  const request = given as JsonObject & { type: string }; // The caller has checked it.
  const type = operationNamed(request.type);
  if (type === undefined) {
    context.addIssue({ code: 'custom', path: ['type'], message: 'is no type of this kind' });
    return z.NEVER;
  }
  const parsed = SCHEMAS[type].safeParse(withFirstNames(type, request), IN_OUR_WORDS);
  if (parsed.success) return { ...parsed.data, type } as unknown as MongoRequest; // Just checked.
  for (const { path, message } of faultsOf(parsed.error, '')) {
    context.addIssue({ code: 'custom', path: path === '' ? [] : path.split('.'), message });
  }
  return z.NEVER;
});

/** The members and options by their first names; where both are given, the other stays and is refused. */
function withFirstNames(type: OperationName, request: JsonObject): JsonObject {
  const known = OPERATIONS[type].members.map((each) => each.replace('?', ''));
  const renamed: JsonObject = {};
  for (const [member, value] of Object.entries(request)) {
    const alias = MEMBER_ALIASES[member];
    const isOther =
      alias !== undefined &&
      !known.includes(member) &&
      !Object.hasOwn(request, alias) &&
      (known.includes(alias) || alias === 'database' || alias === 'collection');
    setMember(renamed, isOther ? alias : member, value);
  }
  for (const [member, option] of Object.entries(OPTION_MEMBERS[type] ?? {})) {
    intoOptions(renamed, member, option);
  }
  if (isJsonObject(renamed.options))
    renamed.options = camelled(renamed.options, OPERATIONS[type].options);
  return renamed;
}

/** Moves a member into the options; where they have the same, or it is none of theirs, it stays and is refused. */
function intoOptions(request: JsonObject, member: string, option: string | null): void {
  const { [member]: given, options = {} } = request;
  const added = option === null ? given : given === undefined ? given : { [option]: given };
  if (added === undefined || !isJsonObject(added) || !isJsonObject(options)) return;
  if (Object.keys(added).some((each) => Object.hasOwn(options, each))) return;
  delete request[member];
  request.options = { ...options, ...added };
}

function camelled(options: JsonObject, own: readonly string[]): JsonObject {
  const entries = Object.entries(options).map(([option, value]): [string, Json] => {
    if (own.includes(option)) return [option, value];
    const camel = option.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const name = own.find((each) => each.toLowerCase() === camel.toLowerCase());
    return [name !== undefined && !Object.hasOwn(options, name) ? name : option, value];
  });
  return Object.fromEntries(entries);
}
