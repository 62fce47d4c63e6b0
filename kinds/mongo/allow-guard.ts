/** Decides which requests name only what `config.allow` opens. Spec: keys-and-doors.md §4. */
import { type AllowedNames, notAllowed, undecided } from '../allow.ts';
import { namingOf } from './named.ts';
import type { MongoRequest } from './request.ts';

/** Lets requests pass that name only what is open: collections of one database. */
export class AllowGuard {
  readonly #open: AllowedNames;
  readonly #home: string;

  /** @param home the database of requests that name none */
  constructor(open: AllowedNames, home: string) {
    this.#open = open;
    this.#home = home;
  }

  /** @throws GatewayError FORBIDDEN */
  admit(request: MongoRequest): void {
    const { collections, undecided: what } = namingOf(request);
    if (what !== undefined) throw undecided(what, 'type');
    for (const { database = this.#home, collection } of collections) {
      if (this.opens(database, collection)) continue;
      const isOwn = database === this.#home;
      throw notAllowed('Collection', isOwn ? collection : `${database}.${collection}`, 'type');
    }
  }

  /** Whether a collection is open. */
  opens(database: string, collection: string): boolean {
    return database === this.#home && this.#open.opens(collection);
  }

  /** The same of one that a trigger watches. */
  watches(collection: string): boolean {
    return this.opens(this.#home, collection);
  }
}
