/** What a request names, for `config.allow`: its own collection, and those in its stages and commands. keys-and-doors.md §4. */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { namesOf } from '../../proto/ordered-json.ts';
import { commandName, commandOf, isToldFirst } from './admin.ts';
import { COMMANDS, SCRIPTS, STAGES } from './named-words.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import type { MongoRequest } from './request.ts';

/** A collection as a request names it. */
interface NamedCollection {
  /** Undefined for that of requests that name none. */
  readonly database: string | undefined;
  readonly collection: string;
}

/** All that a request names. */
interface Naming {
  readonly collections: readonly NamedCollection[];
  /** What of it is not read, in words; undefined where all is. */
  readonly undecided: string | undefined;
}

/** What a request names. */
export function namingOf(request: MongoRequest): Naming {
  const names = new CollectionNames(request.database);
  names.request(request);
  return names;
}

/** They name no collection, and tell of none. */
const NAMELESS: ReadonlySet<OperationName> = new Set([
  ...(['ping', 'default_database', 'read_concern', 'write_concern', 'selection_criteria'] as const),
  ...(['start_transaction', 'commit_transaction', 'abort_transaction', 'database.name'] as const),
  // Its stages do.
  'database.aggregate',
]);

class CollectionNames implements Naming {
  readonly collections: NamedCollection[] = [];
  undecided: string | undefined;
  readonly #database: string | undefined;

  constructor(database: string | undefined) {
    this.#database = database;
  }

  request(request: MongoRequest): void {
    const { type, pipeline, options } = request;
    this.#scripts(request as unknown as Json); // JSON, as it came.
    if (OPERATIONS[type].level === 'collection') this.#own(request.collection);
    else this.#beyond(request);
    if (type === 'rename') this.#own(request.name);
    this.#pipeline(pipeline as Json | undefined);
    this.#pipeline(options?.pipeline);
  }

  /** Of what is no collection's. */
  #beyond(request: MongoRequest): void {
    const { type, command, bucket_name: bucket = 'fs' } = request;
    if (NAMELESS.has(type)) return;
    if (type === 'client.bulk_write') this.#writes(request.operations ?? []);
    else if (type === 'create_collection') this.#made(request);
    else if (type.startsWith('database.gridfs_bucket.')) {
      this.#own(`${bucket}.files`);
      this.#own(`${bucket}.chunks`);
    } else if (command !== undefined) this.#command(commandOf(command));
    else this.#leave(type);
  }

  #made({ name, options }: MongoRequest): void {
    this.#own(name);
    if (options?.viewOn !== undefined) this.#own(options.viewOn);
    if (options?.encryptedFields !== undefined) this.#leave('encryptedFields');
  }

  #writes(operations: readonly JsonObject[]): void {
    for (const operation of operations) {
      for (const name of namesOf(operation)) {
        const write = operation[name];
        const namespace = isJsonObject(write) ? write.namespace : undefined;
        const dot = typeof namespace === 'string' ? namespace.indexOf('.') : -1;
        if (typeof namespace !== 'string' || dot < 0) this.#leave('A write without a namespace');
        else {
          const [database, collection] = [namespace.slice(0, dot), namespace.slice(dot + 1)];
          this.collections.push({ database, collection });
        }
      }
    }
  }

  #command(command: JsonObject | undefined): void {
    const name = command === undefined ? '' : commandName(command);
    const reads = COMMANDS[name];
    if (command === undefined || !isToldFirst(command) || reads === undefined) {
      this.#leave(`The command ${name.slice(0, 64)}`);
      return;
    }
    const content = command[namesOf(command)[0] ?? ''];
    if (reads === 'command') this.#command(isJsonObject(content) ? content : undefined);
    // Of a database: {aggregate: 1}.
    if (reads === 'collection' || (reads === 'aggregate' && content !== 1)) this.#own(content);
    this.#pipeline(command.pipeline);
  }

  #pipeline(pipeline: Json | undefined): void {
    if (pipeline === undefined) return;
    if (!Array.isArray(pipeline)) this.#leave('A pipeline that is no list');
    else for (const stage of pipeline) this.#stageOf(stage);
  }

  #stageOf(stage: Json): void {
    const [name, ...others] = isJsonObject(stage) ? namesOf(stage) : [];
    if (!isJsonObject(stage) || name === undefined || others.length > 0) {
      this.#leave('A stage that is no object of one member');
    } else if (!STAGES.has(name)) {
      this.#reach(name, stage[name]);
    }
  }

  /** A stage that names collections, or has pipelines that do. */
  #reach(name: string, content: Json | undefined): void {
    const members = isJsonObject(content) ? content : {};
    if (name === '$facet') {
      for (const each of namesOf(members)) this.#pipeline(members[each]);
      return;
    }
    // Extended JSON and earlier results stand for something else.
    const other = namesOf(members).find((member) => member.startsWith('$'));
    if (other !== undefined) this.#leave(`${name.slice(0, 64)} of ${other.slice(0, 64)}`);
    this.#stageTarget(name, content, members);
    this.#pipeline(members.pipeline);
    // Else the name of an action.
    if (typeof members.whenMatched !== 'string') this.#pipeline(members.whenMatched);
  }

  #stageTarget(name: string, content: Json | undefined, members: JsonObject): void {
    switch (name) {
      case '$lookup':
        this.#optional(members.from, members);
        break;
      case '$graphLookup':
        this.#target(members.from);
        break;
      case '$unionWith':
        if (typeof content === 'string') this.#own(content);
        else this.#optional(members.coll === undefined ? undefined : members, members);
        break;
      case '$out':
        this.#target(content);
        break;
      case '$merge':
        this.#target(typeof content === 'string' ? content : members.into);
        break;
      default:
        this.#leave(name.slice(0, 64));
    }
  }

  /** Without a collection its pipeline begins with documents. */
  #optional(target: Json | undefined, { pipeline }: JsonObject): void {
    if (target !== undefined) this.#target(target);
    else if (!Array.isArray(pipeline)) this.#leave('A stage without a collection');
  }

  /** A collection of the own database by its name, or `{db, coll}`. */
  #target(target: Json | undefined): void {
    if (!isJsonObject(target)) {
      this.#own(target);
      return;
    }
    const { db: database = this.#database, coll: collection } = target;
    const isNamed = database === undefined || typeof database === 'string';
    if (isNamed && typeof collection === 'string') this.collections.push({ database, collection });
    else this.#leave('A collection that is no name');
  }

  #own(collection: Json | undefined): void {
    if (typeof collection === 'string') {
      this.collections.push({ database: this.#database, collection });
    } else {
      this.#leave('A collection that is no name');
    }
  }

  /** JavaScript at any depth. */
  #scripts(value: Json | undefined): void {
    if (Array.isArray(value)) for (const each of value) this.#scripts(each);
    if (!isJsonObject(value)) return;
    for (const name of namesOf(value)) {
      if (SCRIPTS.has(name)) this.#leave(name);
      this.#scripts(value[name]);
    }
  }

  #leave(what: string): void {
    this.undecided ??= what;
  }
}
