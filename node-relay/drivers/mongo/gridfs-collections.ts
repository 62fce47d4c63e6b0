/** A database as the driver's GridFS sees it: all that it sends goes through the call's session. */
import type { Db } from 'mongodb';
import type { Execution } from './database.ts';

/** Where each method that GridFS uses has its options. */
const OPTIONS_AT: Readonly<Record<string, number>> = {
  find: 1,
  findOne: 1,
  insertOne: 1,
  deleteOne: 1,
  deleteMany: 1,
  updateOne: 2,
  createIndex: 2,
  listIndexes: 0,
  drop: 0,
};

/** GridFS calculates with what it reads; and in a session of ours its work ends with the call. */
export function inSession(database: Db, { session }: Execution): Db {
  const ours = { session, promoteValues: true, promoteLongs: true, promoteBuffers: true };
  return withMethods(database, {
    collection: (name: string) =>
      withMethods(
        database.collection(name),
        Object.fromEntries(
          Object.entries(OPTIONS_AT).map(([method, place]) => [method, [place, ours]]),
        ),
      ),
  });
}

type BucketArgument = ((name: string) => unknown) | readonly [place: number, options: object];

/** The same object except for some methods: replaced, or given options in addition to the caller's. */
function withMethods<Target extends object>(
  target: Target,
  own: { readonly [method: string]: BucketArgument },
): Target {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      const other = typeof name === 'string' && Object.hasOwn(own, name) ? own[name] : undefined;
      if (typeof other === 'function') return other;
      return (...given: unknown[]) => {
        if (other !== undefined) {
          const [place, options] = other;
          given[place] = { ...(given[place] as object | undefined), ...options };
        }
        return value.apply(object, given);
      };
    },
  });
}
